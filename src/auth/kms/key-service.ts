/** A key management service: it encrypts and decrypts small secrets with a key that never leaves it. */
export interface KeyService {
  /** Encrypts a secret. @returns text that only the service can decrypt. @throws KeyServiceFailure with the service's reason */
  wrap(secret: Buffer): Promise<string>;
  /** Decrypts what `wrap` returned. @throws KeyServiceFailure with the service's reason */
  unwrap(wrapped: string): Promise<Buffer>;
}

/** A request that a key service refused or did not answer. The message has its reason. */
export class KeyServiceFailure extends Error {
  override readonly name = 'KeyServiceFailure';
}

/** Where a key service is, and by what this installation proves itself to it. */
export type KeyServiceSettings =
  | {
      readonly kind: 'vault';
      /** Address of the server. */
      readonly address: string;
      /** Path of the transit engine, such as `transit`. */
      readonly mount: string;
      readonly key: string;
      readonly namespace: string | undefined;
    }
  | {
      readonly kind: 'aws';
      readonly address: string;
      readonly region: string;
      /** Id, alias or ARN of the key. */
      readonly key: string;
    };

/** Sends a request to a key service. @returns the parsed JSON. @throws KeyServiceFailure with the status and the service's reason */
export async function callKeyService(
  fetch: typeof globalThis.fetch,
  url: string,
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  reasonOf: (answer: Readonly<Record<string, unknown>>) => string | undefined,
): Promise<Readonly<Record<string, unknown>>> {
  let answer: Response;
  try {
    answer = await fetch(url, { method: 'POST', headers, body, redirect: 'error' });
  } catch (cause) {
    const { message, cause: deeper } = cause as Error;
    const why = deeper instanceof Error ? deeper.message : message;
    throw new KeyServiceFailure(`the key service at ${new URL(url).origin} does not answer: ${why}`, {
      cause,
    });
  }
  const parsed = (await answer.json().catch(() => ({}))) as Readonly<Record<string, unknown>>;
  if (answer.ok) return parsed;
  const why = reasonOf(parsed) ?? 'no reason given';
  throw new KeyServiceFailure(`the key service at ${new URL(url).origin} answered ${answer.status}: ${why}`);
}

/** Returns a text of an answer. @throws KeyServiceFailure when the answer has none */
export function textIn(of: unknown, name: string): string {
  const text = (of as Readonly<Record<string, unknown>> | undefined)?.[name];
  if (typeof text !== 'string') throw new KeyServiceFailure(`the key service gave an answer without ${name}`);
  return text;
}
