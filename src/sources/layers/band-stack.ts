import type { LayerCard } from '../../app/risk/layer-reader.ts';
import { allSlots, type ServedBand } from './band-file.ts';
import { LayerSampler, type SampleReading } from './layer-sampler.ts';
import { BLOCK_ARRAYS, type BlockSamples } from '../../formats/tiff/block.ts';
import type { TileCache, TileSource } from './tile-cache.ts';

/** A map that is stored in one band. */
export interface BandMap {
  readonly card: LayerCard;
  readonly reading: SampleReading;
  readonly band: ServedBand;
}

/** Maps that are read together, and their sampler. */
export interface MapStack {
  readonly cards: readonly LayerCard[];
  readonly sampler: LayerSampler;
}

/**
 * Stacks the maps of a hazard's return periods: their samples are interleaved in memory, so that one lookup of a
 * place reads all of them. Only maps with the same grid and `SampleReading` can be stacked. A map that cannot be
 * stacked with another one is left out.
 * @param made stacks of other environments. A stack of the same maps is reused, so that no tile is in memory twice.
 * New stacks are added to this list
 */
export function stackMaps(maps: readonly BandMap[], tiles: TileCache, made: MapStack[]): MapStack[] {
  return [...Map.groupBy(maps, stackKey).values()]
    .filter((group) => group.length > 1)
    .map((group) => {
      const cards = group.map(({ card }) => card);
      const there = made.find(
        (stack) => stack.cards.length === cards.length && stack.cards.every((card, i) => card === cards[i]),
      );
      if (there !== undefined) return there;
      const { reading, band } = group[0]!;
      const source = interleaved(group.map((map) => map.band));
      const stack = {
        cards,
        sampler: new LayerSampler(reading, band.header, tiles.of(source), group.length),
      };
      made.push(stack);
      return stack;
    });
}

/**
 * Returns a key that is equal for maps that can be stacked. It contains everything about a map except its return
 * period.
 */
function stackKey({ card, reading, band }: BandMap): string {
  const { grid, tileEdge, kind, nodata } = band.header;
  const { scale, offset, interpolation } = reading;
  return JSON.stringify([
    card.layer,
    card.version,
    card.returnPeriodYears === null,
    grid,
    tileEdge,
    kind,
    nodata,
    scale,
    offset,
    interpolation,
  ]);
}

function interleaved(bands: readonly ServedBand[]): TileSource {
  const { slots, header } = bands[0]!;
  return {
    slots: allSlots(slots.length),
    readTile(tile): BlockSamples {
      const together = new BLOCK_ARRAYS[header.kind](header.tileEdge ** 2 * bands.length);
      for (const [b, band] of bands.entries()) {
        const samples = band.readTile(tile);
        for (let i = 0; i < samples.length; i++) together[i * bands.length + b] = samples[i]!;
      }
      return together;
    },
  };
}
