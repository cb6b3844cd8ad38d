import { Misuse, table, type Command } from './command.ts';

export const createAccount: Command = {
  name: 'accounts create',
  summary: 'Create an account',
  operands: ['NAME'],
  async run(context, { operands }) {
    const name = operands[0]!.trim();
    if (name === '' || name.length > 100) throw new Misuse('NAME: expected 1 to 100 characters');
    const { storage } = await context.open();
    const account = await storage.accounts.create(name);
    context.print({ id: account.id, name: account.name }, `Account ${account.name} made: ${account.id}`);
  },
};

export const listAccounts: Command = {
  name: 'accounts list',
  summary: 'List accounts',
  async run(context) {
    const { storage } = await context.open();
    const accounts = await storage.accounts.list();
    context.print(
      {
        accounts: accounts.map(({ id, name, createdAt }) => ({
          id,
          name,
          created_at: createdAt.toISOString(),
        })),
      },
      accounts.length === 0
        ? 'There is no account yet: groundwatch accounts create NAME'
        : table(
            ['NAME', 'ID'],
            accounts.map(({ id, name }) => [name, id]),
          ),
    );
  },
};
