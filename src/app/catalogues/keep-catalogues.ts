import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FollowDeps, followCatalogue, type FollowReport } from './follow-catalogue.ts';
import type { FollowedCatalogue } from './catalogue-store.ts';

const LOOK_MS = 5_000; // between looks at what is due
const HELD_MS = 60_000; // after which a holder that is gone has lost a catalogue
const RENEW_MS = 15_000;
const RETRY_MS = 3_600_000; // after which a catalogue that failed somewhere is asked again, if it is not due before

/** What is told of each turn. */
export type TellTurn = (catalogue: FollowedCatalogue, report: FollowReport) => void;

/**
 * Asks standing catalogues as they fall due, and for new areas at once. Any number of processes may do this: each catalogue is
 * held by one.
 * @returns what stops it, once the scene under way is durable
 */
export function keepCatalogues(
  deps: FollowDeps,
  tell: TellTurn,
  onError: (error: unknown) => void,
  lookMs = LOOK_MS,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const taken = await takeTurn(deps, tell, signal).catch((error: unknown) => {
        onError(error);
        return false;
      });
      if (!taken) await sleep(lookMs, undefined, { signal }).catch(() => undefined);
    }
  };
  const running = run();
  return async () => {
    stopping.abort();
    await running;
  };
}

/**
 * Asks one catalogue while nobody else does.
 * @param id that one, due or not; absent: the one due longest
 * @returns false when there is none, or another process has it
 */
export async function takeTurn(
  deps: FollowDeps,
  tell: TellTurn,
  stop: AbortSignal,
  id?: string,
  progress?: (done: number, total: number) => void,
): Promise<boolean> {
  const catalogues = deps.storage.catalogues;
  const holder = randomUUID();
  const held = await catalogues.hold(holder, HELD_MS, id);
  if (held === undefined) return false;
  const lost = new AbortController();
  const { catalogue, isDue } = held;
  const which = isDue || id !== undefined ? 'all' : 'new';
  const renewal = setInterval(() => {
    catalogues.renew(catalogue.id, holder, HELD_MS).then(
      (isOurs) => void (isOurs || lost.abort()),
      () => undefined, // the database is away: it is ours until it runs out
    );
  }, RENEW_MS);
  let againInMs: number | null = null;
  try {
    const report = await followCatalogue(
      deps,
      catalogue,
      which,
      AbortSignal.any([stop, lost.signal]),
      progress,
    );
    if (!stop.aborted) {
      if (which === 'all') againInMs = catalogue.everyMs;
      if (report.problems.length > 0) againInMs = Math.min(catalogue.everyMs, RETRY_MS);
    }
    tell(catalogue, report);
  } finally {
    clearInterval(renewal);
    await catalogues.release(catalogue.id, holder, againInMs);
  }
  return true;
}
