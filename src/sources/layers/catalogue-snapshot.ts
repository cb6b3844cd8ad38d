import { createHash } from 'node:crypto';
import type { LayerEnvironment } from '../../app/layers/layer-shelf.ts';
import type { Environment } from '../../app/owner.ts';
import type { LayerCard, LayerColumns, LayerSample, LayerSnapshot } from '../../app/risk/layer-reader.ts';
import type { Bbox } from '../../geo/bbox.ts';
import type { BandMap, MapStack } from './band-stack.ts';
import { cardKey } from './layer-catalogue.ts';
import type { LayerSampler } from './layer-sampler.ts';

/** A map that is served. */
export interface Served {
  readonly card: LayerCard;
  readonly source: Pick<LayerSampler, 'sample' | 'read'>;
  /** The band of a map that consists of one piece. Only such a map can be stacked with others. */
  readonly whole?: BandMap;
  readonly environment: LayerEnvironment;
  /** Identifies the files of the map on this disk. The next snapshot reuses the map when the key is the same. */
  readonly key: string;
  /** Identifies the content that the samples of the map depend on. It is the same on every machine. */
  readonly state: string;
  /** The box around its pieces. */
  readonly coverage: Bbox;
  /** Paths of its bands. */
  readonly paths: readonly string[];
}

/** The layers of one environment at one time; immutable. */
export class CatalogueSnapshot implements LayerSnapshot {
  readonly layers: readonly Served[];
  readonly stacks: readonly MapStack[];
  readonly #served: ReadonlyMap<LayerCard, Served>;
  readonly #cards: ReadonlyMap<string, readonly LayerCard[]>;

  constructor(layers: readonly Served[], stacks: readonly MapStack[]) {
    this.layers = layers;
    this.stacks = stacks;
    this.#served = new Map(layers.map((served) => [served.card, served]));
    this.#cards = Map.groupBy(
      layers.map(({ card }) => card),
      (card) => card.layer,
    );
  }

  cards(layer: string): readonly LayerCard[] {
    return this.#cards.get(layer) ?? [];
  }

  coverage(card: LayerCard): Bbox {
    return this.#servedAs(card).coverage;
  }

  sample(card: LayerCard, lngs: Float64Array, lats: Float64Array): readonly LayerSample[] {
    return this.#sourceOf(card).sample(lngs, lats);
  }

  reader(cards: readonly LayerCard[]): LayerColumns {
    const column = new Map(cards.map((card, c) => [card, c]));
    const stacks = this.stacks.filter((stack) => stack.cards.every((card) => column.has(card)));
    const stacked = new Set(stacks.flatMap((stack) => stack.cards));
    const sources = [
      ...stacks.map(({ cards: maps, sampler }) => ({
        source: sampler,
        columns: maps.map((card) => column.get(card)!),
      })),
      ...cards
        .filter((card) => !stacked.has(card))
        .map((card) => ({ source: this.#sourceOf(card), columns: [column.get(card)!] })),
    ];
    return (lngs, lats, into) => {
      for (const { source, columns } of sources) source.read(lngs, lats, into, columns);
    };
  }

  state(layers: readonly string[]): string {
    const hash = createHash('sha256');
    for (const layer of layers) {
      const states = this.cards(layer).map((card) => this.#served.get(card)!.state);
      hash.update(JSON.stringify([layer, states]));
    }
    return hash.digest('hex');
  }

  #sourceOf(card: LayerCard): Served['source'] {
    return this.#servedAs(card).source;
  }

  #servedAs(card: LayerCard): Served {
    const served = this.#served.get(card);
    if (served === undefined) throw new RangeError(`layer ${cardKey(card)} is not in this snapshot`);
    return served;
  }
}

const EMPTY = new CatalogueSnapshot([], []);
/** Snapshots without layers, before opening and after closing. */
export const NOTHING: Readonly<Record<Environment, CatalogueSnapshot>> = {
  sandbox: EMPTY,
  staging: EMPTY,
  production: EMPTY,
};

/**
 * Selects the layers that serve an environment, in the given order. A map that is only for this environment replaces
 * the same map for all environments. If a map is still in the list several times, the first one is used.
 */
export function layersOf(environment: Environment, layers: readonly Served[]): readonly Served[] {
  const own = new Set(
    layers.filter((served) => served.environment === environment).map(({ card }) => cardKey(card)),
  );
  const taken = new Set<string>();
  return layers.filter(({ card, environment: home }) => {
    const key = cardKey(card);
    if (home === 'all' ? own.has(key) : home !== environment) return false;
    if (taken.has(key)) return false;
    taken.add(key);
    return true;
  });
}

/** Whether two lists contain the same objects in the same order. */
export function isSameList(a: readonly Served[], b: readonly Served[]): boolean {
  return a.length === b.length && a.every((served, i) => served === b[i]);
}
