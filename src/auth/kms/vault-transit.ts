import { callKeyService, type KeyService, type KeyServiceSettings, textIn } from './key-service.ts';

/**
 * Key service of HashiCorp Vault: its transit engine.
 * @param token returns the token; read for each call, because an agent may renew it
 * @see https://developer.hashicorp.com/vault/api-docs/secret/transit
 */
export function vaultTransit(
  settings: KeyServiceSettings & { readonly kind: 'vault' },
  parts: { readonly fetch: typeof globalThis.fetch; readonly token: () => string },
): KeyService {
  const { address, mount, key, namespace } = settings;
  const call = async (
    action: 'encrypt' | 'decrypt',
    body: Readonly<Record<string, string>>,
  ): Promise<unknown> => {
    const { data } = await callKeyService(
      parts.fetch,
      `${address}/v1/${mount}/${action}/${encodeURIComponent(key)}`,
      {
        headers: {
          'content-type': 'application/json',
          'x-vault-token': parts.token(),
          'x-vault-request': 'true', // agents demand it, as a protection against forged requests
          ...(namespace !== undefined && { 'x-vault-namespace': namespace }),
        },
        body: JSON.stringify(body),
      },
      ({ errors }) => (Array.isArray(errors) && errors.length > 0 ? errors.join(', ') : undefined),
    );
    return data;
  };
  return {
    wrap: async (secret) =>
      textIn(await call('encrypt', { plaintext: secret.toString('base64') }), 'ciphertext'),
    unwrap: async (wrapped) =>
      Buffer.from(textIn(await call('decrypt', { ciphertext: wrapped }), 'plaintext'), 'base64'),
  };
}
