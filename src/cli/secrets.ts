import type { Command } from './command.ts';

export const rotateSecretsCommand: Command = {
  name: 'secrets rotate',
  summary: 'Encrypt all secrets at rest under a new key; the service may keep running',
  audited: true,
  async run(context) {
    const { rotateSecretKey } = await context.open();
    const { resealed, keyFile, former, byKeyService } = await rotateSecretKey();
    const text = byKeyService
      ? `a new key that the key service keeps${former === undefined ? '' : `; ${former} is needed only to restore older backups`}`
      : keyFile === undefined
        ? 'the first key of GROUNDWATCH_SECRET_KEY; the others are no longer needed'
        : `a new key in ${keyFile}; copies of it elsewhere are out of date`;
    context.print({ resealed, key_file: keyFile ?? null }, `${resealed} secrets are encrypted under ${text}`);
  },
};

export const forgetSecretsCommand: Command = {
  name: 'secrets forget',
  summary: 'Drop the secrets of a lost key, so that the service can start again',
  audited: true,
  async run(context) {
    const { webhooks, signingKeys, auditChain } = await context.forgetSecrets();
    const lines = [
      `Webhooks disabled: ${webhooks}; their owners rotate the secret, then enable them`,
      `Signing keys dropped: ${signingKeys}; OAuth clients take new access tokens`,
      ...(auditChain ? ['The audit log starts a new chain: earlier entries can no longer be verified'] : []),
    ];
    context.print(
      { webhooks, signing_keys: signingKeys, audit_chain: auditChain },
      webhooks + signingKeys === 0 && !auditChain
        ? 'The current key decrypts every secret: nothing was dropped'
        : lines.join('\n'),
    );
  },
};
