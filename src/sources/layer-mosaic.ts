import type { LayerSample } from '../app/ports.ts';
import type { Bbox } from '../geo/bbox.ts';
import type { LayerSampler } from './layer-sampler.ts';

/** One piece of a map, and the box that it lies in. */
export interface MosaicPiece {
  readonly sampler: LayerSampler;
  readonly coverage: Bbox;
}

/** Cells of the index: a degree wide, as most sets of tiles are. */
const LNG_CELLS = 360;
const LAT_CELLS = 180;
/** A point on an edge may belong to the piece beyond it by rounding [degrees]. */
const EDGE_DEGREES = 1e-6;

const OUTSIDE: LayerSample = { ok: false, reason: 'outside' };

function latCell(lat: number): number {
  return Math.min(Math.max(Math.floor(lat + 90), 0), LAT_CELLS - 1);
}

/** Counts on beyond 180 degrees. */
function lngCell(lng: number): number {
  return Math.floor(lng + 180);
}

/** A map in several pieces. Where they overlap, the first in the order given that has a value answers. */
export class LayerMosaic {
  readonly #pieces: readonly MosaicPiece[];
  /** Pieces that may cover each cell. */
  readonly #cells = new Map<number, number[]>();

  constructor(pieces: readonly MosaicPiece[]) {
    this.#pieces = pieces;
    for (const [i, { coverage }] of pieces.entries()) this.#index(i, coverage);
  }

  /** Answers in the order of the points: outside when no piece reaches a point, nodata when none of those has a value. */
  sample(lngs: Float64Array, lats: Float64Array): readonly LayerSample[] {
    if (this.#pieces.length === 1) return this.#pieces[0]!.sampler.sample(lngs, lats);
    const answers: LayerSample[] = Array.from({ length: lngs.length }, () => OUTSIDE);
    let open: Iterable<number> = lngs.keys();
    for (let round = 0; ; round++) {
      const byPiece = Map.groupBy(open, (i) => this.#piecesAt(lngs[i]!, lats[i]!)?.[round] ?? -1);
      byPiece.delete(-1);
      if (byPiece.size === 0) return answers;
      const left: number[] = [];
      for (const [piece, points] of byPiece) {
        const samples = this.#pieces[piece]!.sampler.sample(
          Float64Array.from(points, (i) => lngs[i]!),
          Float64Array.from(points, (i) => lats[i]!),
        );
        for (const [k, i] of points.entries()) {
          const sample = samples[k]!;
          if (sample.ok || sample.reason === 'nodata') answers[i] = sample;
          if (!sample.ok) left.push(i);
        }
      }
      open = left;
    }
  }

  #piecesAt(lng: number, lat: number): readonly number[] | undefined {
    return this.#cells.get(latCell(lat) * LNG_CELLS + (((lngCell(lng) % LNG_CELLS) + LNG_CELLS) % LNG_CELLS));
  }

  #index(piece: number, [west, south, east, north]: Bbox): void {
    const first = lngCell(west - EDGE_DEGREES);
    const last = Math.min(lngCell(east + EDGE_DEGREES), first + LNG_CELLS - 1);
    for (let row = latCell(south - EDGE_DEGREES); row <= latCell(north + EDGE_DEGREES); row++) {
      for (let col = first; col <= last; col++) {
        const cell = row * LNG_CELLS + (((col % LNG_CELLS) + LNG_CELLS) % LNG_CELLS);
        const known = this.#cells.get(cell);
        if (known === undefined) this.#cells.set(cell, [piece]);
        else known.push(piece);
      }
    }
  }
}
