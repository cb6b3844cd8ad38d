import { setTimeout as sleep } from 'node:timers/promises';
import { ENVIRONMENTS, type Peril, PERILS } from '../../contract/vocabulary.ts';
import type { Deps } from '../deps.ts';
import type { Environment } from '../owner.ts';
import type { LayerSnapshot } from '../risk/layer-reader.ts';
import { rescoreWatches, watchScope } from './rescore-watches.ts';
import type { WatchScope } from './watch-store.ts';

/** Interval between two checks for changed layers [ms]. */
const LOOK_MS = 1000;
/**
 * Number of consecutive checks that must find the same layers before watches are rescored. Because of this, several
 * maps that are added one after the other cause only one rescoring.
 */
const SETTLED_LOOKS = 2;
/** Number of checks (30 s) between two searches for watches that another node scored with an older state. */
const SEARCH_LOOKS = 30;

export interface WatchKeeperOptions {
  readonly deps: Pick<Deps, 'clock' | 'storage' | 'layers' | 'wakeDelivery'>;
  readonly onError: (error: unknown) => void;
  readonly lookMs?: number;
}

/**
 * Keeps the scores of all watches up to date with the layers and models of this node. Rescores watches at startup,
 * when a layer changes, and every half minute if other nodes have left watches that were scored with an older state.
 * The state of the node that changed last is the adopted state. A node with another state does not rescore until no
 * node with the adopted state has been active for some minutes.
 * @returns a function that stops the loop after the current batch is committed
 */
export function keepWatches({ deps, onError, lookMs = LOOK_MS }: WatchKeeperOptions): () => Promise<void> {
  const stop = new AbortController();
  const keepers = ENVIRONMENTS.map((environment) => new EnvironmentKeeper(environment, deps));
  const run = async (): Promise<void> => {
    for (let look = 0; !stop.signal.aborted; look++) {
      for (const keeper of keepers) {
        try {
          await keeper.look(look % SEARCH_LOOKS === 0, stop.signal);
        } catch (error) {
          onError(error);
        }
      }
      await sleep(lookMs, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  };
  const running = run();
  return async () => {
    stop.abort();
    await running;
  };
}

/** Keeps the watches of one environment up to date. */
class EnvironmentKeeper {
  readonly #environment: Environment;
  readonly #deps: WatchKeeperOptions['deps'];
  /** Snapshot at the last check. `#looks` is the number of consecutive checks that found the same snapshot. */
  #seen: LayerSnapshot | undefined;
  #looks = 0;
  /** State that this node last proposed for adoption, by peril. */
  readonly #adopted = new Map<Peril, string>();

  constructor(environment: Environment, deps: WatchKeeperOptions['deps']) {
    this.#environment = environment;
    this.#deps = deps;
  }

  async look(isSearch: boolean, stop: AbortSignal): Promise<void> {
    const snapshot = this.#deps.layers.snapshot(this.#environment);
    const isFirst = this.#seen === undefined;
    this.#looks = snapshot === this.#seen ? this.#looks + 1 : 1;
    this.#seen = snapshot;
    // At startup no maps are being added, so there is no need to wait.
    if (!isFirst && this.#looks < SETTLED_LOOKS) return;
    if (isFirst) this.#looks = SETTLED_LOOKS;
    if (this.#looks > SETTLED_LOOKS && !isSearch) return;
    await this.#follow(snapshot, stop);
  }

  async #follow(snapshot: LayerSnapshot, stop: AbortSignal): Promise<void> {
    const { watches } = this.#deps.storage;
    const scopes = PERILS.map((peril) => watchScope(this.#environment, peril, snapshot));
    const isNew = ({ peril, state }: WatchScope): boolean => this.#adopted.get(peril) !== state;
    await watches.adopt(scopes.filter(isNew), true);
    await watches.adopt(
      scopes.filter((scope) => !isNew(scope)),
      false,
    );
    for (const { peril, state } of scopes) this.#adopted.set(peril, state);
    for (const scope of await watches.stale(scopes))
      if (!stop.aborted) await this.#rescore(scope, snapshot, stop);
  }

  async #rescore(scope: WatchScope, snapshot: LayerSnapshot, stop: AbortSignal): Promise<void> {
    const { wakeDelivery } = this.#deps;
    await rescoreWatches(this.#deps, scope, snapshot, {
      onBatch: ({ crossed }) => {
        if (crossed > 0) wakeDelivery();
      },
      isStopped: () => stop.aborted,
    });
  }
}
