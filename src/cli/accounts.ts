import { NotFound } from '../base/errors.ts';
import { hiddenCharacter, NAME_RULE } from '../contract/name-text.ts';
import { Misuse, table, type CliContext, type Command } from './command.ts';

export const createAccountCommand: Command = {
  name: 'accounts create',
  audited: true,
  summary: 'Create an account',
  operands: ['NAME'],
  async run(context, { operands }) {
    const name = operands[0]!.trim();
    if (name === '' || name.length > 100)
      throw new Misuse(`NAME: expected 1 to 100 characters, got ${name.length}`);
    const hidden = hiddenCharacter(name);
    if (hidden !== undefined) throw new Misuse(`NAME: expected ${NAME_RULE}, got ${hidden}`);
    const { storage } = await context.open();
    const account = await storage.accounts.create(name);
    context.print({ id: account.id, name: account.name }, `Account ${account.name} made: ${account.id}`);
  },
};

export const disableAccountCommand: Command = {
  name: 'accounts disable',
  summary: 'Close an account: its keys, clients and tokens stop working',
  audited: true,
  operands: ['NAME'],
  run: (context, { operands }) => setDisabled(context, operands[0]!, true),
};

export const enableAccountCommand: Command = {
  name: 'accounts enable',
  summary: 'Open a closed account again, with the credentials it had',
  audited: true,
  operands: ['NAME'],
  run: (context, { operands }) => setDisabled(context, operands[0]!, false),
};

async function setDisabled(context: CliContext, name: string, disabled: boolean): Promise<void> {
  const { storage, clock } = await context.open();
  const account = await storage.accounts.byName(name);
  if (account === undefined) throw new NotFound(`There is no account named ${name}`);
  await storage.accounts.setDisabled(account.id, disabled ? new Date(clock.now()) : null);
  context.print({ id: account.id, name, disabled }, `Account ${name} is ${disabled ? 'closed' : 'open'}`);
}

export const listAccountsCommand: Command = {
  name: 'accounts list',
  summary: 'List accounts',
  async run(context) {
    const { storage } = await context.open();
    const accounts = await storage.accounts.list();
    context.print(
      {
        accounts: accounts.map(({ id, name, createdAt, disabledAt }) => ({
          id,
          name,
          created_at: createdAt.toISOString(),
          disabled_at: disabledAt?.toISOString() ?? null,
        })),
      },
      accounts.length === 0
        ? 'There is no account yet: groundwatch accounts create NAME'
        : table(
            ['NAME', 'ID', 'STATE'],
            accounts.map(({ id, name, disabledAt }) => [name, id, disabledAt === null ? 'open' : 'disabled']),
          ),
    );
  },
};
