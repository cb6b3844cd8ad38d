import type { Command } from './command.ts';

export const rotateSecretsCommand: Command = {
  name: 'secrets rotate',
  summary: 'Encrypt all secrets at rest under a new key, beside the running service',
  audited: true,
  async run(context) {
    const { rotateSecretKey } = await context.open();
    const { resealed, keyFile } = await rotateSecretKey();
    context.print(
      { resealed, key_file: keyFile ?? null },
      keyFile === undefined
        ? `${resealed} secrets are encrypted under the first key of GROUNDWATCH_SECRET_KEY; the others are no longer needed`
        : `${resealed} secrets are encrypted under a new key in ${keyFile}; copies of it elsewhere are out of date`,
    );
  },
};
