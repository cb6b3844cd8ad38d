// Child process: a receiver that answers each POST with 204. It parses as little of a request as it can, to use little
// processor time.
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { epochMs, type SinkCertificate, type SinkOrder, type SinkReport } from './messages.ts';

const NUMBERED = /"n":(\d+)/;
const arrivals: [number, number][] = [];
let received = 0;
let delayMs = 0;

process.once('disconnect', () => process.exit()); // so that a failed benchmark leaves no child process
process.once('message', ({ certPem, keyPem }: SinkCertificate) => {
  const server = createServer({ cert: certPem, key: keyPem }, (socket) => {
    let rest = '';
    socket.setNoDelay(true).on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      rest += chunk.toString('latin1');
      for (;;) {
        const end = rest.indexOf('\r\n\r\n');
        if (end < 0) return;
        const length = Number(/content-length: (\d+)/i.exec(rest.slice(0, end))![1]);
        if (rest.length < end + 4 + length) return;
        received += 1;
        const n = NUMBERED.exec(rest.slice(end + 4, end + 4 + length))?.[1];
        if (n !== undefined) arrivals.push([Number(n), epochMs()]);
        rest = rest.slice(end + 4 + length);
        const answer = (): unknown => socket.write('HTTP/1.1 204 No Content\r\n\r\n');
        if (delayMs === 0) answer();
        else setTimeout(answer, delayMs);
      }
    });
  });
  server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port));
  process.on('message', (order: SinkOrder) => {
    delayMs = order.delayMs ?? delayMs;
    const { user, system } = process.cpuUsage();
    process.send!({ received, arrivals: arrivals.splice(0), cpuUs: user + system } satisfies SinkReport);
    received = 0;
  });
});
