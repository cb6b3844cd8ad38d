/**
 * Process of the account whose calls are measured: one call after the other on a connection that stays open, and checks
 * of health on connections of their own.
 */
import { readFileSync } from 'node:fs';
import { Agent, Client } from 'undici';
import { serveParent, type Target, taskOf } from './child.ts';

const PAUSE_MS = 10; // between two calls; all calls of a full test stay within the budget of the account
const HEALTH_PAUSE_MS = 50;

/** What was measured between `begin` and `end`: durations [ms], and how many calls had each status. */
export interface Measured {
  readonly risk: readonly number[];
  readonly list: readonly number[];
  readonly health: readonly number[];
  /** Calls on a new connection each, with the handshake. */
  readonly fresh: readonly number[];
  readonly statuses: Readonly<Record<string, number>>;
}

const { port, ca, key } = taskOf() as Target & { readonly key: string };
const origin = `https://localhost:${port}`;
// On a slow machine a connection may take longer than usual. What is too long, the bounds of the test say.
const connect = { ca: readFileSync(ca), localAddress: '127.0.0.1', timeout: 240_000 };
const dispatchers = {
  risk: new Client(origin, { connect }),
  list: new Client(origin, { connect }),
};
/** Whether to call. */
const work = { isOn: false };
let loops: Promise<void>[] = [];
let told = empty();

function empty() {
  return { risk: [], list: [], health: [], fresh: [], statuses: {} } as {
    -readonly [K in keyof Measured]: K extends 'statuses' ? Record<string, number> : number[];
  };
}

async function call(kind: Exclude<keyof Measured, 'statuses'>, path: string, dispatcher: Agent | Client) {
  const began = performance.now();
  let status: string;
  try {
    const headers = kind === 'health' ? {} : { authorization: `Bearer ${key}` };
    const answer = await dispatcher.request({ origin, path, method: 'GET', headers });
    await answer.body.text();
    status = String(answer.statusCode);
  } catch (error) {
    status = (error as { code?: string }).code ?? String(error);
  }
  told[kind].push(performance.now() - began);
  const name = `${kind} ${status}`;
  told.statuses[name] = (told.statuses[name] ?? 0) + 1;
}

async function loop(pauseMs: number, call: (i: number) => Promise<void>): Promise<void> {
  for (let i = 0; work.isOn; i++) {
    await call(i);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

async function onFresh(kind: 'health' | 'fresh', path: string): Promise<void> {
  const agent = new Agent({ connect });
  await call(kind, path, agent);
  await agent.destroy();
}

const riskPath = (i: number): string =>
  `/v1/risk?lat=${(i * 7.13) % 60}&lng=${(i * 13.7) % 170}&peril=${['flood', 'storm', 'wildfire', 'subsidence'][i % 4]}`;

serveParent({
  begin: () => {
    work.isOn = true;
    told = empty();
    loops = [
      loop(PAUSE_MS, (i) => call('risk', riskPath(i), dispatchers.risk)),
      loop(PAUSE_MS * 2, () => call('list', '/v1/anomalies?limit=10', dispatchers.list)),
      loop(HEALTH_PAUSE_MS, () => onFresh('health', '/healthz')),
      loop(HEALTH_PAUSE_MS * 4, (i) => onFresh('fresh', riskPath(i))),
    ];
    return Promise.resolve();
  },
  end: async () => {
    work.isOn = false;
    await Promise.all(loops);
    return told;
  },
});
