import { setTimeout as sleep } from 'node:timers/promises';
import { ENVIRONMENTS, type Peril, PERILS } from '../../contract/vocabulary.ts';
import type { Deps } from '../deps.ts';
import type { Environment } from '../owner.ts';
import type { LayerSnapshot } from '../risk/layer-reader.ts';
import { rescoreWatches, watchScope } from './rescore-watches.ts';

/** Between looks at whether the layers have changed [ms]. */
const LOOK_MS = 1000;
/** Looks at which the layers must be the same before scores follow: maps that are added one after the other are taken together. */
const SETTLED_LOOKS = 2;
/** Looks between searches for watches that were made against an older state by another node: half a minute. */
const SEARCH_LOOKS = 30;

export interface WatchKeeperOptions {
  readonly deps: Pick<Deps, 'clock' | 'storage' | 'layers' | 'wakeDelivery'>;
  readonly onError: (error: unknown) => void;
  readonly lookMs?: number;
}

/**
 * Keeps the scores of all watches those of the layers and models as they are here: at the start, when a layer changes,
 * and every half minute for what other nodes have left. The last node whose state changed decides what scores are made
 * from; a node whose state is another leaves them alone until that one has been silent for minutes.
 * @returns what stops it, once the batch under way is committed
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

/** The watches of one environment. */
class EnvironmentKeeper {
  readonly #environment: Environment;
  readonly #deps: WatchKeeperOptions['deps'];
  /** What the layers were at the last look, and at how many looks together. */
  #seen: LayerSnapshot | undefined;
  #looks = 0;
  /** By peril, the state that was adopted for it here. */
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
    // At the start nothing is under way.
    if (!isFirst && this.#looks < SETTLED_LOOKS) return;
    if (isFirst) this.#looks = SETTLED_LOOKS;
    if (this.#looks > SETTLED_LOOKS && !isSearch) return;
    for (const peril of PERILS) if (!stop.aborted) await this.#follow(peril, snapshot, stop);
  }

  async #follow(peril: Peril, snapshot: LayerSnapshot, stop: AbortSignal): Promise<void> {
    const { storage, wakeDelivery } = this.#deps;
    const scope = watchScope(this.#environment, peril, snapshot);
    await storage.watches.adopt(scope, this.#adopted.get(peril) !== scope.state);
    this.#adopted.set(peril, scope.state);
    if (!(await storage.watches.hasStale(scope))) return;
    await rescoreWatches(this.#deps, scope, snapshot, {
      onBatch: ({ crossed }) => {
        if (crossed > 0) wakeDelivery();
      },
      isStopped: () => stop.aborted,
    });
  }
}
