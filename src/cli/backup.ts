import { resolve } from 'node:path';
import type { Command } from './command.ts';

export const backupCommand: Command = {
  name: 'backup',
  summary: 'Write the whole installation into one new file (tar); the service may keep running',
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
          ? 'It contains the key that decrypts its secrets: store it as a secret'
          : 'It does not contain GROUNDWATCH_SECRET_KEY, which decrypts its secrets: store that separately',
      ].join('\n'),
    );
  },
};

export const restoreCommand: Command = {
  name: 'restore',
  summary: 'Restore a backup into an empty data folder (and database)',
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
