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

export const forgetSecretsCommand: Command = {
  name: 'secrets forget',
  summary: 'Drop what is sealed under a key that is lost, so that the service starts again',
  audited: true,
  async run(context) {
    const { webhooks, signingKeys, auditChain } = await context.forgetSecrets();
    const told = [
      `Webhooks disabled: ${webhooks}; their owners rotate the secret, then enable them`,
      `Signing keys dropped: ${signingKeys}; OAuth clients take new access tokens`,
      ...(auditChain ? ['The audit log begins a new chain: what stands before can no longer be proved'] : []),
    ];
    context.print(
      { webhooks, signing_keys: signingKeys, audit_chain: auditChain },
      webhooks + signingKeys === 0 && !auditChain
        ? 'Every secret opens under the key there is: nothing was dropped'
        : told.join('\n'),
    );
  },
};
