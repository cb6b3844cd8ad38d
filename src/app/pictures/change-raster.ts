import { NotFound } from '../../base/errors.ts';
import { DAY_MS, formatDay } from '../../base/time.ts';
import { RASTER_CHANGES } from '../../contract/limits.ts';
import type { CogBand, CogBlock } from '../../formats/cog-file.ts';
import { gridCoverage } from '../../geo/grid-coverage.ts';
import { cutGrid } from '../../geo/grid-window.ts';
import type { PaintedChange } from '../changes/change-store.ts';
import type { Owner } from '../owner.ts';
import type { Collection } from '../series/collection-store.ts';
import type { Stores } from '../storage.ts';
import { type RasterFile, rasterFile } from './raster-file.ts';
import { findSceneIn, refuseUnnamed } from './scene-raster.ts';
import { MOST_SIDE } from './tile-size.ts';

/** What the pixels of changes can show. */
export interface ChangeQuantity {
  readonly name: 'first-anomaly' | 'confidence' | 'magnitude';
  readonly title: string;
  readonly sample: 'int32' | 'float32';
  readonly nodata: number;
  /** Unit of the quantity; null: that of the metric. */
  readonly unit: string | null;
  readonly of: (change: PaintedChange) => number;
}

export const CHANGE_QUANTITIES: readonly ChangeQuantity[] = [
  {
    name: 'first-anomaly',
    title: 'Day of the first anomaly [days since 1970-01-01]',
    sample: 'int32',
    nodata: -1,
    unit: 'd',
    of: ({ firstAnomalyAt }) => Date.parse(firstAnomalyAt) / DAY_MS,
  },
  {
    name: 'confidence',
    title: 'Confidence of the change [0 to 1]',
    sample: 'float32',
    nodata: Number.NaN,
    unit: '1',
    of: ({ confidence }) => confidence,
  },
  {
    name: 'magnitude',
    title: 'Magnitude of the change, in the unit of its metric',
    sample: 'float32',
    nodata: Number.NaN,
    unit: null,
    of: ({ magnitude }) => magnitude,
  },
];

/** How a quantity of changes is written on the grid of their collection. */
export function changeBand({ grid, unit }: Collection, quantity: ChangeQuantity): CogBand {
  return {
    grid,
    sample: quantity.sample,
    nodata: quantity.nodata,
    scale: 1,
    offset: 0,
    unit: quantity.unit ?? unit,
    description: quantity.title,
    mostSide: MOST_SIDE,
  };
}

/**
 * One quantity of the changes of a collection that were confirmed on the day of a scene, and that an area of the owner
 * shows, as a Cloud Optimized GeoTIFF. Where changes overlap, the one that began last counts. Of a block with more than
 * `RASTER_CHANGES` changes the largest are drawn.
 * @throws NotFound for a scene that the owner may not read, an unknown quantity, and a grid without an EPSG code
 */
export async function openChangeRaster(
  { storage }: { readonly storage: Pick<Stores, 'collections' | 'changes'> },
  owner: Owner,
  collectionId: string,
  sceneId: string,
  name: string,
): Promise<RasterFile> {
  const quantity = CHANGE_QUANTITIES.find((one) => one.name === name);
  if (quantity === undefined)
    throw new NotFound(
      `There is no raster ${name} of changes: expected ${CHANGE_QUANTITIES.map((one) => one.name).join(', ')}`,
    );
  const { scene, collection } = await findSceneIn({ storage }, owner, collectionId, sceneId);
  refuseUnnamed(collection);
  const day = formatDay(scene.observedAt.getTime());
  return rasterFile(changeBand(collection, quantity), undefined, async (block) => {
    const bounds = gridCoverage(cutGrid(collection.grid, block.window));
    const filter = { collectionId: collection.id, bounds, day };
    const changes = await storage.changes.painted(owner, filter, RASTER_CHANGES);
    return paintBlock(changes, collection.grid.width, block, quantity);
  });
}

/** Paints the pixels of changes into a block, those that began last over the others. */
export function paintBlock(
  changes: readonly PaintedChange[],
  gridWidth: number,
  { window: { col, row, width, height }, step, side }: CogBlock,
  { sample, nodata, of }: Pick<ChangeQuantity, 'sample' | 'nodata' | 'of'>,
): Uint8Array {
  const samples = sample === 'int32' ? new Int32Array(side * side) : new Float32Array(side * side);
  samples.fill(nodata);
  const inOrder = changes.toSorted((a, b) => Date.parse(a.firstAnomalyAt) - Date.parse(b.firstAnomalyAt));
  for (const change of inOrder) {
    const value = of(change);
    for (let i = 0; i + 1 < change.runs.length; i += 2) {
      const [start, end] = [change.runs[i]!, change.runs[i]! + change.runs[i + 1]!];
      // A run may go on in the next rows.
      for (let at = start; at < end;) {
        const r = Math.floor(at / gridWidth);
        const rowEnd = Math.min(end, (r + 1) * gridWidth);
        if (r >= row && r < row + height && (r - row) % step === 0) {
          const from = Math.max(col, at - r * gridWidth);
          const to = Math.min(col + width, rowEnd - r * gridWidth);
          const line = ((r - row) / step) * side;
          for (let c = Math.ceil((from - col) / step); col + c * step < to; c++) samples[line + c] = value;
        }
        at = rowEnd;
      }
    }
  }
  return new Uint8Array(samples.buffer);
}
