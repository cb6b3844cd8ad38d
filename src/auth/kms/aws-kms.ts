import { type AwsCredentials, signAwsRequest } from '../../net/aws-signature.ts';
import { callKeyService, type KeyService, type KeyServiceSettings, textIn } from './key-service.ts';

/** Bound to what is encrypted, and shown in the logs of AWS: a policy can demand it. */
const CONTEXT = { application: 'groundwatch' };

/**
 * Key service of AWS.
 * @see https://docs.aws.amazon.com/kms/latest/APIReference/API_Encrypt.html
 */
export function awsKms(
  settings: KeyServiceSettings & { readonly kind: 'aws' },
  parts: {
    readonly fetch: typeof globalThis.fetch;
    readonly credentials: AwsCredentials;
    readonly now: () => number;
  },
): KeyService {
  const { address, region, key } = settings;
  const call = (operation: 'Encrypt' | 'Decrypt', of: Readonly<Record<string, string>>) => {
    const url = new URL('/', address);
    const body = JSON.stringify({ KeyId: key, EncryptionContext: CONTEXT, ...of });
    const headers = {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': `TrentService.${operation}`,
    };
    const scope = { region, service: 'kms' };
    const signed = signAwsRequest(
      { method: 'POST', url, headers, body },
      scope,
      parts.credentials,
      parts.now(),
    );
    return callKeyService(parts.fetch, url.href, { headers: signed, body }, (answer) => {
      const { __type: type, message = answer['Message'] } = answer;
      return typeof type === 'string'
        ? `${type.split('#').at(-1)}${typeof message === 'string' ? `: ${message}` : ''}`
        : undefined;
    });
  };
  return {
    wrap: async (secret) =>
      textIn(await call('Encrypt', { Plaintext: secret.toString('base64') }), 'CiphertextBlob'),
    unwrap: async (wrapped) =>
      Buffer.from(textIn(await call('Decrypt', { CiphertextBlob: wrapped }), 'Plaintext'), 'base64'),
  };
}
