import type { LayerSample } from '../../app/risk/layer-reader.ts';
import type { Bbox } from '../../geo/bbox.ts';
import { type LayerSampler, valueOfSample } from './layer-sampler.ts';

/** One piece of a map, and its bounding box. */
export interface MosaicPiece {
  readonly sampler: Pick<LayerSampler, 'sample'>;
  readonly coverage: Bbox;
}

/** Number of cells of the index: one cell per degree, because most sets of tiles have tiles of one degree. */
const LNG_CELLS = 360;
const LAT_CELLS = 180;
/** Margin of each piece in the index, because rounding may move a point across an edge [degrees]. */
const EDGE_DEGREES = 1e-6;

const OUTSIDE: LayerSample = { ok: false, reason: 'outside' };
const NONE: readonly number[] = [];

function latCell(lat: number): number {
  return Math.min(Math.max(Math.floor(lat + 90), 0), LAT_CELLS - 1);
}

/** Index of the column of cells that contains a longitude: 0 at -180 degrees, 360 or more from 180 degrees on. */
function lngCell(lng: number): number {
  return Math.floor(lng + 180);
}

function cellAt(row: number, col: number): number {
  return row * LNG_CELLS + (((col % LNG_CELLS) + LNG_CELLS) % LNG_CELLS);
}

function cellOf(lng: number, lat: number): number {
  return cellAt(latCell(lat), lngCell(lng));
}

function holds([west, south, east, north]: Bbox, lng: number, lat: number): boolean {
  if (lat < south - EDGE_DEGREES || lat > north + EDGE_DEGREES) return false;
  const from = lng - west + EDGE_DEGREES;
  return from - Math.floor(from / 360) * 360 <= east - west + 2 * EDGE_DEGREES;
}

/** A map of several pieces. Where they overlap, the first piece with a value is used, in the order given. */
export class LayerMosaic {
  readonly #pieces: readonly MosaicPiece[];
  /** For each cell, the indices of the pieces that may cover it. */
  readonly #cells = new Map<number, number[]>();

  constructor(pieces: readonly MosaicPiece[]) {
    this.#pieces = pieces;
    for (const [i, { coverage }] of pieces.entries()) this.#index(i, coverage);
  }

  /** Samples points: `outside` where no piece covers the point, `nodata` where no covering piece has a value. */
  sample(lngs: Float64Array, lats: Float64Array): readonly LayerSample[] {
    if (this.#pieces.length === 1) return this.#pieces[0]!.sampler.sample(lngs, lats);
    const answers: LayerSample[] = Array.from({ length: lngs.length }, () => OUTSIDE);
    // For each point, the index of the piece that is tried now, in the list of pieces of the point's cell. Points that
    // try the same piece are read together.
    const places = new Int32Array(lngs.length).fill(-1);
    let open: Iterable<number> = lngs.keys();
    for (;;) {
      const byPiece = Map.groupBy(open, (i) => {
        const cell = this.#cells.get(cellOf(lngs[i]!, lats[i]!)) ?? NONE;
        let place = places[i]! + 1;
        while (place < cell.length && !holds(this.#pieces[cell[place]!]!.coverage, lngs[i]!, lats[i]!))
          place++;
        places[i] = place;
        return cell[place] ?? -1;
      });
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

  /** Samples points in the form of `LayerSampler.read`. */
  read(lngs: Float64Array, lats: Float64Array, into: Float64Array, columns: ArrayLike<number>): void {
    const at = columns[0]! * lngs.length;
    for (const [i, sample] of this.sample(lngs, lats).entries()) into[at + i] = valueOfSample(sample);
  }

  #index(piece: number, [west, south, east, north]: Bbox): void {
    const first = lngCell(west - EDGE_DEGREES);
    const last = Math.min(lngCell(east + EDGE_DEGREES), first + LNG_CELLS - 1);
    for (let row = latCell(south - EDGE_DEGREES); row <= latCell(north + EDGE_DEGREES); row++) {
      for (let col = first; col <= last; col++) {
        const cell = cellAt(row, col);
        const known = this.#cells.get(cell);
        if (known === undefined) this.#cells.set(cell, [piece]);
        else known.push(piece);
      }
    }
  }
}
