import type { SampleKind } from '../../formats/tiff/image.ts';
import type { GdalBand } from '../../formats/tiff/gdal-tags.ts';
import type { Grid } from '../../geo/grid.ts';
import { type BandContent, BandMeter } from './band-content.ts';
import { SQUARE_EDGE, writeBand } from './band-writer.ts';

/** Maximum number of samples that are read at once (our choice): 128 MB. */
const MOST_SAMPLES = 1 << 24;

/** A band that is read by rows: an array of NetCDF, HDF5 or Zarr, or an image in JPEG 2000. */
export interface RowLayer {
  readonly grid: Grid;
  /** Type of the samples in the band file. */
  readonly kind: SampleKind;
  /** Raw value of missing samples; NaN when only NaN is missing; null when none is. */
  readonly nodata: number | null;
  readonly metadata: GdalBand;
  /** Reads raw samples of the rows `[from, to)`, row-major. Missing ones are `nodata`. @throws InvalidInput */
  readonly read: (from: number, to: number) => Promise<ArrayLike<number>>;
  readonly close: () => Promise<void>;
}

/**
 * Transcodes a band that is read by rows to the band file `path`, as `transcodeLayer` does for GeoTIFF.
 * @throws InvalidInput when the file is damaged, or the disk has too little space
 */
export async function transcodeRows(layer: RowLayer, path: string, origin: string): Promise<BandContent> {
  const { grid, kind, nodata } = layer;
  const { width, height } = grid;
  const empty = nodata ?? 0;
  const meter = new BandMeter(grid, nodata);
  // As many rows of squares at once as memory allows: blocks of the file that span several are read once.
  const together = Math.max(1, Math.floor(MOST_SAMPLES / (width * SQUARE_EDGE))) * SQUARE_EDGE;
  let [samples, first, end]: [ArrayLike<number>, number, number] = [[], 0, 0];
  const header = { grid, kind, nodata: Number.isNaN(empty) ? null : nodata, origin };
  await writeBand(path, header, empty, async (squares, squareRow) => {
    const top = squareRow * SQUARE_EDGE;
    const bottom = Math.min(height, top + SQUARE_EDGE);
    if (top >= end) {
      [first, end] = [top, Math.min(height, top + together)];
      samples = await layer.read(first, end);
    }
    for (let row = top; row < bottom; row++) {
      const source = (row - first) * width;
      for (let col = 0; col < width; col++) {
        const square = col - (col % SQUARE_EDGE);
        squares[(square + row - top) * SQUARE_EDGE + (col % SQUARE_EDGE)] = samples[source + col]!;
      }
    }
    await meter.add(squares, top, bottom);
  });
  return meter.content();
}
