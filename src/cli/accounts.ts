import { eraseAccount } from '../app/access/erase-account.ts';
import { NotFound } from '../base/errors.ts';
import { hiddenCharacter, NAME_RULE } from '../contract/name-text.ts';
import { Failed, Misuse, table, text, type CliContext, type Command } from './command.ts';
import { operator } from './operator.ts';

export const createAccountCommand: Command = {
  name: 'accounts create',
  isLight: true,
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
  isLight: true,
  summary: 'Close an account: its keys, clients and tokens stop working',
  audited: true,
  operands: ['NAME'],
  run: (context, { operands }) => setDisabled(context, operands[0]!, true),
};

export const enableAccountCommand: Command = {
  name: 'accounts enable',
  isLight: true,
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

export const eraseAccountCommand: Command = {
  name: 'accounts erase',
  summary:
    'Erase an account with all it has, in this installation and its backups; run it again if it was interrupted',
  audited: true,
  operands: ['ID'],
  options: {
    confirm: { meaning: 'erase it: there is no way back' },
    gone: { value: 'FOLDER,...', meaning: 'folders of backups that are gone for good, and need no change' },
  },
  async run(context, given) {
    const id = given.operands[0]!;
    const { storage, erasure, forgetBackupPlaces } = await context.open();
    if (given.options['confirm'] !== true) {
      const account = await storage.accounts.find(id);
      if (account === undefined) throw new NotFound(`There is no account with the id ${id}`);
      throw new Misuse(
        `--confirm is required: it erases the account ${account.name} (${id}), its areas, private collections, events, credentials and members, and makes them unreadable in all backups`,
      );
    }
    await forgetBackupPlaces(text(given, 'gone')?.split(',') ?? []);
    const { cleared, unreachable } = await eraseAccount(erasure, { accountId: id, actor: operator() });
    context.print(
      { id, erased: true, key_files: cleared, unreachable },
      [
        `Account ${id} is erased`,
        ...cleared.map((path) => `Its key is gone from ${path}: no backup there can be read for it`),
        'Copies of these files elsewhere, and backups of release 1.3.0 and before, still hold it: replace or delete them',
      ].join('\n'),
    );
    if (unreachable.length > 0)
      throw new Failed(
        `Backups in these folders can still be read for the account:\n${unreachable.join('\n')}\nRun the command again when they are there; if they are gone for good, with --gone FOLDER`,
      );
  },
};

export const listAccountsCommand: Command = {
  name: 'accounts list',
  isLight: true,
  summary: 'List accounts',
  async run(context) {
    const { storage } = await context.open();
    const accounts = await storage.accounts.list();
    context.print(
      {
        accounts: accounts.map(({ id, name, createdAt, disabledAt, isBeingErased }) => ({
          id,
          name,
          created_at: createdAt.toISOString(),
          disabled_at: disabledAt?.toISOString() ?? null,
          being_erased: isBeingErased,
        })),
      },
      accounts.length === 0
        ? 'There is no account yet: groundwatch accounts create NAME'
        : table(
            ['NAME', 'ID', 'STATE'],
            accounts.map(({ id, name, disabledAt, isBeingErased }) => [
              name,
              id,
              isBeingErased ? 'being erased' : disabledAt === null ? 'open' : 'disabled',
            ]),
          ),
    );
  },
};
