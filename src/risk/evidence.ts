import type { LayerMeta, LayerReading, Peril } from './assessment.ts';
import { informationOf } from './calibration.ts';
import type { Evidence, EvidenceKind } from './evidence-kind.ts';
import { answeringCard } from './layer-choice.ts';
import { knotsAt } from '../numerics/isotonic.ts';

export type { Evidence, EvidenceKind };

export const NO_EVIDENCE: Evidence = { class: 'none', bits: 0, basis: '' };

/** Evidence of one kind at a point. */
export interface EvidenceFound {
  readonly kind: EvidenceKind;
  /** Size of the finest cells that have a value [m]. */
  readonly resolutionM: number;
}

interface Step extends EvidenceKind {
  /** Cards of `layers`, finest resolution first. */
  readonly cards: readonly number[];
  readonly others: readonly number[];
}

/**
 * The kinds of evidence of a model, prepared for the cards of one snapshot. A further layer can only add evidence,
 * and the evidence at a point is the best of all that is present there. Therefore, a further, finer or newer layer
 * never lowers it.
 */
export class EvidenceLadder {
  readonly #steps: readonly Step[];
  readonly #cards: readonly LayerMeta[];
  readonly #bits: (found: EvidenceFound) => number;

  /** @param kinds in ascending order: that of their classes, and within a class that of their information */
  constructor(peril: Peril, kinds: readonly EvidenceKind[], cards: readonly LayerMeta[]) {
    this.#cards = cards;
    const finest = [...cards.keys()].sort((a, b) => cards[a]!.resolutionM - cards[b]!.resolutionM);
    this.#steps = kinds.map((kind) => ({
      ...kind,
      cards: finest.filter(
        (i) => kind.layers.includes(cards[i]!.layer) && cards[i]!.resolutionM <= (kind.withinM ?? Infinity),
      ),
      others: finest.filter((i) => kind.besides?.includes(cards[i]!.layer)),
    }));
    const curves = new Map(informationOf(peril).map(({ name, bits }) => [name, bits]));
    this.#bits = ({ kind, resolutionM }) => {
      const curve = curves.get(kind.name);
      return curve === undefined ? 0 : knotsAt(curve, Math.log10(resolutionM));
    };
  }

  /** Returns all evidence at a point, in ascending order of kind. */
  found(readings: readonly LayerReading[]): readonly EvidenceFound[] {
    return this.#steps.flatMap(({ cards, others, ...kind }) => {
      const card = answeringCard(readings, cards);
      if (card < 0 || (kind.besides !== undefined && answeringCard(readings, others) < 0)) return [];
      return [{ kind, resolutionM: this.#cards[card]!.resolutionM }];
    });
  }

  /** Returns the evidence at a point where the model answers. @param basis the basis of its answer */
  at(readings: readonly LayerReading[], basis: string): Evidence {
    const found = this.found(readings);
    return {
      class: found.at(-1)?.kind.class ?? 'none',
      bits: Math.max(0, ...found.map(this.#bits)),
      basis,
    };
  }
}
