import { createServer } from 'node:net';
import { throwawayCertificate, tlsSink, type Received, type TlsSink } from '../fixtures/tls-sink.ts';
import type { LocalCertificate } from '../../src/http/tls/local-certificate.ts';

/** Behaviours of receivers. The first three sooner or later accept every event; the others accept no event. */
export const RECEIVER_KINDS = [
  'prompt',
  'slow',
  'flaky',
  'refuses',
  'hangs',
  'answers 500',
  'answers 301',
  'answers 410',
  'talks garbage',
  'closes in mid-answer',
  'has a wrong certificate',
] as const;
export type ReceiverKind = (typeof RECEIVER_KINDS)[number];

export const isHealthy = (kind: ReceiverKind): boolean => RECEIVER_KINDS.indexOf(kind) < 3;

/** A local HTTPS receiver that counts how often it accepted each event. */
export interface Receiver extends AsyncDisposable {
  readonly kind: ReceiverKind;
  readonly url: string;
  readonly taken: ReadonlyMap<string, number>;
}

const SLOW_MS = 300;

/** Starts a receiver with the given behaviour. */
export async function startReceiver(kind: ReceiverKind, certificate: LocalCertificate): Promise<Receiver> {
  const taken = new Map<string, number>();
  const seen = new Set<string>();
  const take = ({ headers }: Received): void => {
    const id = String(headers['webhook-id']);
    taken.set(id, (taken.get(id) ?? 0) + 1);
  };
  const shown = kind === 'has a wrong certificate' ? await throwawayCertificate() : certificate;
  const sink: TlsSink = await tlsSink(shown, (request, response) => {
    const id = String(request.headers['webhook-id']);
    switch (kind) {
      case 'prompt':
      case 'has a wrong certificate':
      case 'refuses':
        take(request);
        response.writeHead(204).end();
        break;
      case 'slow':
        take(request);
        setTimeout(() => response.end('thanks'), SLOW_MS);
        break;
      case 'flaky': // the first attempt of each event fails
        if (seen.has(id)) take(request);
        response.writeHead(seen.has(id) ? 200 : 503).end();
        seen.add(id);
        break;
      case 'hangs':
        break;
      case 'answers 500':
        response.writeHead(500).end('no');
        break;
      case 'answers 301':
        response.writeHead(301, { location: 'https://127.0.0.1:1/' }).end();
        break;
      case 'answers 410':
        response.writeHead(410).end();
        break;
      case 'talks garbage':
        response.socket?.end('220 mail.example ESMTP\r\n');
        break;
      case 'closes in mid-answer':
        response.writeHead(200, { 'content-length': 100 });
        response.write('half');
        setImmediate(() => response.destroy());
        break;
    }
  });
  if (kind !== 'refuses')
    return {
      kind,
      url: `https://127.0.0.1:${sink.port}/hook`,
      taken,
      [Symbol.asyncDispose]: () => sink[Symbol.asyncDispose](),
    };
  await sink[Symbol.asyncDispose]();
  return {
    kind,
    url: `https://127.0.0.1:${await closedPort()}/hook`,
    taken,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/**
 * Finds a port on which nothing listens. It is outside the range of ephemeral ports, so that no later receiver gets
 * this port.
 */
async function closedPort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000); // below 32768, the first ephemeral port on Linux
    const server = createServer();
    const free = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    await new Promise((resolve) => server.close(resolve));
    if (free) return port;
  }
}
