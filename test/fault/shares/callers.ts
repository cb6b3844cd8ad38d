/**
 * Process that makes the same calls over and over, several at once and as fast as they are answered. Each time that it
 * begins, it takes the next key.
 */
import { readFileSync } from 'node:fs';
import { Agent } from 'undici';
import { serveParent, type Target, taskOf } from './child.ts';

export interface CallersTask extends Target {
  readonly keys: readonly string[];
  /** Paths that are called all the time, each `at once` times. */
  readonly paths: readonly { readonly path: string; readonly atOnce: number }[];
}

const { port, ca, keys, paths } = taskOf() as CallersTask;
// A handshake waits its turn behind those of the strangers.
const connect = { ca: readFileSync(ca), timeout: 240_000 };
let agent = new Agent({ connect, connections: 200 });
const origin = `https://localhost:${port}`;
/** Whether to call. */
const work = { isOn: false };
let loops: Promise<void>[] = [];
/** How many calls had each status. */
let counts: Record<string, number> = {};
let turn = 0;
/** Resolved by the first answer, so that what is measured after `begin` is measured beside these calls. */
let first = Promise.withResolvers<void>();

async function loop(path: string, key: string): Promise<void> {
  while (work.isOn) {
    let status: string;
    try {
      const answer = await agent.request({
        origin,
        path,
        method: 'GET',
        headers: { authorization: `Bearer ${key}` },
      });
      await answer.body.dump({ limit: 2 ** 30 });
      status = String(answer.statusCode);
    } catch (error) {
      status = (error as { code?: string }).code ?? 'failed';
    }
    if (work.isOn) counts[status] = (counts[status] ?? 0) + 1;
    if (status === '200') first.resolve();
    if (!/^\d/.test(status)) await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

serveParent({
  begin: async () => {
    work.isOn = true;
    agent = new Agent({ connect, connections: 200 });
    counts = {};
    first = Promise.withResolvers<void>();
    const key = keys[turn++ % keys.length]!;
    loops = paths.flatMap(({ path, atOnce }) => Array.from({ length: atOnce }, () => loop(path, key)));
    await first.promise;
  },
  end: async () => {
    work.isOn = false;
    await agent.destroy(); // calls in progress are given up
    await Promise.all(loops);
    return counts;
  },
});
