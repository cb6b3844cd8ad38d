import { resolve } from 'node:path';
import type { Command } from './command.ts';

export const backupCommand: Command = {
  name: 'backup',
  summary: 'Write the whole installation into one new file (tar), beside the running service',
  operands: ['FILE'],
  audited: true,
  async run(context, { operands }) {
    const path = resolve(operands[0]!);
    const { backUp } = await context.open();
    const { tables, files, size, keyFile } = await backUp(path);
    context.print(
      { file: path, tables, files, bytes: size, holds_secret_key: keyFile },
      [
        `${path}: ${tables} tables and ${files} files, ${size} bytes`,
        keyFile
          ? 'It holds the key that opens its secrets: keep it as you keep secrets'
          : 'It does not hold GROUNDWATCH_SECRET_KEY, without which its secrets cannot be opened: keep that apart',
      ].join('\n'),
    );
  },
};

export const restoreCommand: Command = {
  name: 'restore',
  summary: 'Make an installation of a backup, in an empty data folder (and database)',
  operands: ['FILE'],
  audited: true,
  async run(context, { operands }) {
    const path = resolve(operands[0]!);
    const { tables, files } = await context.restore(path);
    context.print(
      { file: path, tables, files },
      `Restored ${tables} tables and ${files} files; start the service with: groundwatch serve`,
    );
  },
};
