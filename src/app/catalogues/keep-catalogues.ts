import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { HOUR_MS } from '../../base/time.ts';
import { type FollowDeps, followCatalogue, type FollowReport } from './follow-catalogue.ts';
import type { FollowedCatalogue } from './catalogue-store.ts';

const LOOK_MS = 5_000; // interval between two checks for a catalogue that is due
// A process that dies gives its catalogue up within 15 s: the lease, and the interval between two checks of another.
const HELD_MS = 10_000; // duration of the lease of a catalogue, unless it is renewed
const RENEW_MS = 3_000;
const RETRY_MS = HOUR_MS; // maximum time until the next search of a catalogue after an area failed

/** Called after each search of a catalogue. */
export type OnTurn = (catalogue: FollowedCatalogue, report: FollowReport) => void;

/**
 * Searches followed catalogues in a loop: a catalogue is searched for all areas when it is due, and for a new area
 * at once. Several processes may run this loop; only one of them leases a catalogue at a time.
 * @returns a function that stops the loop after the current scene
 */
export function keepCatalogues(
  deps: FollowDeps,
  onTurn: OnTurn,
  onError: (error: unknown) => void,
  lookMs = LOOK_MS,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const taken = await takeTurn(deps, onTurn, signal).catch((error: unknown) => {
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
 * Leases one catalogue and searches it.
 * @param id catalogue to search, due or not. Default: the catalogue that has been due longest, or that has a new area
 * @returns false when there is no such catalogue, or another process has leased it
 */
export async function takeTurn(
  deps: FollowDeps,
  onTurn: OnTurn,
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
      () => undefined, // the database is unreachable: the lease is not renewed, but is valid until its end
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
    onTurn(catalogue, report);
  } finally {
    clearInterval(renewal);
    await catalogues.release(catalogue.id, holder, againInMs);
  }
  return true;
}
