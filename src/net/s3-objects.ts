import { setTimeout as sleep } from 'node:timers/promises';
import { getCACertificates } from 'node:tls';
import { type AwsCredentials, sha256, signAwsRequest } from './aws-signature.ts';
import { LateClient } from './late-client.ts';
import {
  type Condition,
  type ListedObject,
  type ObjectStore,
  ObjectStoreFailed,
  type StoredObject,
} from './object-store.ts';

/** A bucket, and the part of it that is used. Plain data, so that a thread can be given it. */
export interface S3Place {
  /** Address of the server, without a path. */
  readonly endpoint: string;
  readonly bucket: string;
  /** Empty, or ends in a slash. */
  readonly prefix: string;
  readonly region: string;
  readonly credentials: AwsCredentials;
  /** PEM certificates that are trusted beside the system's. */
  readonly extraCa: string | undefined;
}

/** Attempts of one call, and the pause after the first failure [ms]; it doubles with each. Together about 6 s. */
const TRIES = 7;
const FIRST_PAUSE_MS = 100;
/** Time limit of connecting, and of each silence of the server [ms]. */
const TIMEOUT_MS = 20_000;
/** Answers after which a call is tried again: too many requests, failures, and a condition that is being decided. */
const PASSING: ReadonlySet<number> = new Set([409, 429, 500, 502, 503, 504]);
const MOST_ERROR_TEXT = 300; // length of an answer that is repeated in a message [characters]

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
}

interface Call {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  readonly name: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/**
 * Objects in a bucket of a server that speaks S3, with conditional writes.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
 */
export class S3Objects implements ObjectStore {
  readonly #place: S3Place;
  readonly #client: LateClient;

  constructor(place: S3Place) {
    this.#place = place;
    const { extraCa } = place;
    this.#client = new LateClient(
      ({ Agent }) =>
        new Agent({
          connect: {
            timeout: TIMEOUT_MS,
            ...(extraCa !== undefined && { ca: [...getCACertificates('default'), extraCa] }),
          },
          headersTimeout: TIMEOUT_MS,
          bodyTimeout: TIMEOUT_MS,
        }),
    );
  }

  async get(
    name: string,
    {
      range,
      unless,
    }: {
      readonly range?: readonly [number, number];
      readonly unless?: string;
    } = {},
  ): Promise<StoredObject | 'same' | undefined> {
    const { status, headers, bytes } = await this.#call(
      {
        method: 'GET',
        name,
        headers: {
          ...(range !== undefined && {
            range: `bytes=${range[0]}-${range[1] - 1}`,
          }),
          ...(unless !== undefined && { 'if-none-match': unless }),
        },
      },
      [200, 206, 304, 404],
    );
    if (status === 304) return 'same';
    return status === 404 ? undefined : { bytes, etag: String(headers['etag']) };
  }

  async put(name: string, bytes: Uint8Array, when: Condition): Promise<string | undefined> {
    const headers: Record<string, string> =
      when === 'absent' ? { 'if-none-match': '*' } : { 'if-match': when.etag };
    const answer = await this.#call({ method: 'PUT', name, headers, body: bytes }, [200, 404, 412]);
    if (answer.status === 200) return String(answer.headers['etag']);
    if (answer.status === 404 && when === 'absent') throw this.#failed('PUT', name, answer);
    // An earlier attempt of this call may have been carried out although its answer was lost.
    const now = await this.get(name);
    return now !== undefined && now !== 'same' && now.bytes.equals(bytes) ? now.etag : undefined;
  }

  async *list(prefix: string): AsyncIterable<ListedObject> {
    const { prefix: root } = this.#place;
    let token: string | undefined;
    do {
      const answer = await this.#call(
        {
          method: 'GET',
          name: '',
          query: {
            'list-type': '2',
            prefix: root + prefix,
            ...(token !== undefined && { 'continuation-token': token }),
          },
        },
        [200],
      );
      const xml = answer.bytes.toString('utf8');
      const nowMs = Date.parse(String(answer.headers['date']));
      for (const [, entry = ''] of xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
        const name = tagText(entry, 'Key') ?? '';
        yield {
          name: name.slice(root.length),
          size: Number(tagText(entry, 'Size')),
          ageMs: nowMs - Date.parse(tagText(entry, 'LastModified') ?? ''),
          nowMs,
        };
      }
      token = tagText(xml, 'IsTruncated') === 'true' ? tagText(xml, 'NextContinuationToken') : undefined;
    } while (token !== undefined);
  }

  async delete(name: string): Promise<void> {
    await this.#call({ method: 'DELETE', name }, [200, 204, 404]);
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  /** Sends a call until it is answered with one of the statuses. @throws ObjectStoreFailed */
  async #call(call: Call, expected: readonly number[]): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      let answer: Answer | Error;
      try {
        answer = await this.#send(call);
      } catch (error) {
        answer = error as Error;
      }
      if (!(answer instanceof Error)) {
        const isMissingBucket = answer.status === 404 && answer.bytes.includes('NoSuchBucket');
        if (expected.includes(answer.status) && !isMissingBucket) return answer;
        if (!PASSING.has(answer.status)) throw this.#failed(call.method, call.name, answer);
      }
      if (tries === TRIES) throw this.#failed(call.method, call.name, answer);
      await sleep(FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.5 + Math.random() / 2));
    }
  }

  async #send({ method, name, query = {}, headers = {}, body }: Call): Promise<Answer> {
    const { endpoint, bucket, prefix, region, credentials } = this.#place;
    const path = name === '' ? '' : `/${(prefix + name).split('/').map(encodeURIComponent).join('/')}`;
    const url = new URL(`${endpoint}/${bucket}${path}`);
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
    const sent = body ?? new Uint8Array(0);
    const signed = signAwsRequest(
      {
        method,
        url,
        headers: { ...headers, 'x-amz-content-sha256': sha256(sent) },
        body: sent,
      },
      { region, service: 's3' },
      credentials,
      Date.now(),
    );
    const agent = await this.#client.use();
    const answer = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers: signed,
      ...(body !== undefined && { body }),
    });
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    const length = answer.headers['content-length'];
    if (method === 'GET' && length !== undefined && Number(length) !== bytes.byteLength)
      throw new Error(`the answer ended after ${bytes.byteLength} of ${String(length)} bytes`);
    return { status: answer.statusCode, headers: answer.headers, bytes };
  }

  #failed(method: string, name: string, answer: Answer | Error): ObjectStoreFailed {
    const { endpoint, bucket, prefix } = this.#place;
    const what = `${method} s3://${bucket}/${prefix}${name} at ${endpoint}`;
    if (answer instanceof Error) {
      const { cause } = answer;
      const why =
        cause instanceof Error ? cause.message : answer.message || (answer as { code?: string }).code;
      return new ObjectStoreFailed(`${what}: ${why || answer.name}`, {
        cause: answer,
      });
    }
    const text = answer.bytes.toString('utf8');
    const said = [tagText(text, 'Code'), tagText(text, 'Message')].filter((each) => each !== undefined);
    return new ObjectStoreFailed(
      `${what}: status ${answer.status}, ${said.join(': ') || text.slice(0, MOST_ERROR_TEXT) || 'no reason given'}`,
    );
  }
}

/** Text of the first element of this name; undefined when there is none. */
function tagText(xml: string, tag: string): string | undefined {
  const text = new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(xml)?.[1];
  return text
    ?.replace(/&#(x?)([0-9a-f]+);/gi, (_, hex: string, code: string) =>
      String.fromCodePoint(parseInt(code, hex === '' ? 10 : 16)),
    )
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
