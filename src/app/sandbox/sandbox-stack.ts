import type { BandDate, DatesReader, RasterStack, StackReader } from '../imagery/raster-stack.ts';
import type { SampleType, Samples } from '../series/cube-store.ts';
import type { Grid } from '../../geo/grid.ts';

/** Content of one simulated stack of images: one band per pass, as in a file to which every pass adds a band. */
export interface SimulatedBands {
  readonly grid: Grid;
  readonly sampleType: SampleType;
  /** Value = raw * scale. */
  readonly scale: number;
  /** Makes the samples of one band. The first band is 0. */
  read(band: number): Promise<Samples>;
}

/**
 * Makes a reader that reads simulated observations instead of files.
 * @param stacks content of each stack, by name
 * @param dates dates of the passes to ingest
 */
export function simulatedStacks(
  stacks: Readonly<Record<string, SimulatedBands>>,
  dates: readonly BandDate[],
): StackReader & DatesReader {
  const bandCount = dates.reduce((most, { band }) => Math.max(most, band), 0);
  return {
    open: (path) => {
      const bands = stacks[path];
      if (bands === undefined) return Promise.reject(new RangeError(`there is no simulated stack ${path}`));
      const { grid, sampleType, scale } = bands;
      const stack: RasterStack = {
        grid,
        bandCount,
        sampleType,
        nodata: null,
        scale,
        offset: 0,
        sha256: '',
        readBand: (band) => bands.read(band),
        close: () => Promise.resolve(),
      };
      return Promise.resolve(stack);
    },
    readDates: () => Promise.resolve(dates),
  };
}
