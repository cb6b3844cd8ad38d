import type { LayerCard } from '../app/ports.ts';
import { type BandFile, TILE_EDGE } from './band-file.ts';
import { LayerSampler, type SampleReading } from './layer-sampler.ts';
import { BLOCK_ARRAYS, type BlockSamples } from './tiff-block.ts';
import type { TileCache, TileSource } from './tile-cache.ts';

/** A map that lies in one band. */
export interface BandMap {
  readonly card: LayerCard;
  readonly reading: SampleReading;
  readonly band: BandFile;
}

/** Maps that are read together, and what reads them. */
export interface MapStack {
  readonly cards: readonly LayerCard[];
  readonly sampler: LayerSampler;
}

/**
 * Lays the maps of the return periods of one hazard beside each other in memory, sample by sample, where their bands allow:
 * a place is then found once for all of them, in one stretch of memory. Maps that are alone are left out.
 */
export function stackMaps(maps: readonly BandMap[], tiles: TileCache): MapStack[] {
  return [...Map.groupBy(maps, stackKey).values()]
    .filter((group) => group.length > 1)
    .map((group) => {
      const { reading, band } = group[0]!;
      const source = interleaved(group.map((map) => map.band));
      return {
        cards: group.map(({ card }) => card),
        sampler: new LayerSampler(reading, band.header, tiles.of(source), group.length),
      };
    });
}

/** What maps of one stack have in common: all but their return periods. */
function stackKey({ card, reading, band }: BandMap): string {
  const { grid, kind, nodata } = band.header;
  const { scale, offset, interpolation } = reading;
  return JSON.stringify([
    card.layer,
    card.version,
    card.returnPeriodYears === null,
    grid,
    kind,
    nodata,
    scale,
    offset,
    interpolation,
  ]);
}

function interleaved(bands: readonly BandFile[]): TileSource {
  const { tileCount, header } = bands[0]!;
  return {
    tileCount,
    readTile(tile): BlockSamples {
      const together = new BLOCK_ARRAYS[header.kind](TILE_EDGE * TILE_EDGE * bands.length);
      for (const [b, band] of bands.entries()) {
        const samples = band.readTile(tile);
        for (let i = 0; i < samples.length; i++) together[i * bands.length + b] = samples[i]!;
      }
      return together;
    },
  };
}
