/**
 * Process that keeps connections without a credential open and never completes what it began: silent ones, half
 * handshakes, half heads, bodies that do not end, requests without end and idle connections. What the service closes is
 * opened again a little later, from another address.
 */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { serveParent, type Target, taskOf } from './child.ts';

/** Time after which a closed connection is opened again [ms]. */
const AGAIN_MS = 500;
/** Time between two bytes of those that drip [ms]. */
const DRIP_MS = 400;

const { port, ca, count, addresses } = taskOf() as Target & {
  readonly count: number;
  readonly addresses: number;
};
const counts = { opened: 0, closed: 0, failed: 0 };
const open = new Set<Socket>();
let isOn = false;

/** The beginning of a ClientHello that announces 512 bytes, of which no more follow (RFC 8446 section 5.1). */
const HELLO = Buffer.concat([Buffer.from('16030102000100', 'hex'), Buffer.alloc(60, 3)]);
const HEAD = 'POST /oauth/token HTTP/1.1\r\nHost: localhost\r\n';
const FORM = 'Content-Type: application/x-www-form-urlencoded\r\n';

/** What a stranger does once it is connected. `drip` is sent byte by byte. */
interface Kind {
  readonly isPlain?: boolean;
  readonly first: string | Buffer;
  readonly drip?: string;
}

const KINDS: readonly Kind[] = [
  { isPlain: true, first: '' },
  { isPlain: true, first: HELLO },
  { isPlain: true, first: HELLO.subarray(0, 1), drip: '\u0003\u0001' },
  { first: '' },
  { first: HEAD, drip: 'X-Slow: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' },
  { first: `${HEAD}${FORM}Content-Length: 16000\r\n\r\n`, drip: 'grant_type=client_credentials&' },
  { first: `${HEAD}${FORM}Transfer-Encoding: chunked\r\n\r\n` },
  { first: `${HEAD}${FORM}Transfer-Encoding: chunked\r\n\r\n`, drip: '1\r\na\r\n1\r\nb\r\n1\r\nc\r\n' },
  { first: 'HEAD /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n' },
  { first: 'GET /docs HTTP/1.1\r\nHost: localhost\r\n\r\n' },
  {
    first:
      'POST /v1/risk/batch HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer none\r\nContent-Type: application/json\r\nContent-Length: 900000\r\n\r\n{"locations":[',
  },
];

const trusted = readFileSync(ca);

/** Opens the i-th connection. Each has an address of 127.0.0.0/8, one of `addresses`, which changes when it is opened again. */
function stranger(i: number, turn: number): void {
  if (!isOn) return;
  const number = (i + turn * count) % addresses;
  const from = `127.${16 + (number >> 16)}.${(number >> 8) & 255}.${number & 255 || 1}`;
  const kind = KINDS[i % KINDS.length]!;
  const host = { host: '127.0.0.1', port, localAddress: from };
  const socket: Socket =
    kind.isPlain === true
      ? connect(host, speak)
      : connectTls({ ...host, ca: trusted, servername: 'localhost' }, speak);
  let drip: NodeJS.Timeout | undefined;
  function speak(): void {
    counts.opened++;
    if (kind.first.length > 0) socket.write(kind.first);
    const text = kind.drip;
    let at = 0;
    if (text !== undefined)
      drip = setInterval(() => socket.write(text[at++ % text.length]!, 'latin1'), DRIP_MS);
  }
  open.add(socket);
  socket.on('error', () => counts.failed++).resume();
  socket.once('close', () => {
    clearInterval(drip);
    open.delete(socket);
    counts.closed++;
    if (isOn) setTimeout(() => stranger(i, turn + 1), AGAIN_MS * (0.5 + Math.random()));
  });
}

serveParent({
  begin: async () => {
    isOn = true;
    Object.assign(counts, { opened: 0, closed: 0, failed: 0 });
    for (let i = 0; i < count; i++) stranger(i, 0);
    // Until most of them are there.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
  },
  end: () => {
    isOn = false;
    const told = { ...counts, open: open.size };
    for (const socket of open) socket.destroy();
    return Promise.resolve(told);
  },
});
