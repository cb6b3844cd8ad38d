import type { Peril } from '../../../contract/vocabulary.ts';
import { mapGrid } from '../../../geo/grid.ts';
import type { PlantedEvent } from '../../../sandbox/events.ts';
import type { RegionLayer } from '../../../sandbox/hazards.ts';
import { COVER } from '../../../sandbox/land-cover.ts';
import { bowlVelocities } from '../../../sandbox/motion.ts';
import { WEATHER_SITES } from '../../../sandbox/stations.ts';
import { SANDBOX_GRID } from '../../../sandbox/terrain.ts';
import { assessPlace } from '../../risk/assess-risk.ts';
import type { Deps } from '../../deps.ts';

const PLACE_STEP = 10; // distance between the places at which risk is assessed [pixels]
const MOST_PLACES = 200; // maximum number of assessed places of one kind
const HIGH_M = 10; // height above stream and sea that no flood of the region reaches [m]
const SINKING_MM = 5; // minimum rate at which a pixel of the subsidence bowl counts as sinking [mm per year]
const STEADY_PIXELS = 20; // distance from the subsidence bowl beyond which the ground counts as stable [pixels]
const NEAR_PIXELS = 25; // radius around a station within which its gusts apply [pixels]

/** Places that, according to the truth, are all exposed to a peril, or all safe from it. */
interface Kind {
  readonly what: string;
  /** Positions of the places, as pixels of SANDBOX_GRID. */
  readonly pixels: readonly number[];
}

/** Perils that the region simulates. */
const SIMULATED_PERILS = ['flood', 'subsidence', 'wildfire', 'storm'] as const satisfies readonly Peril[];

/** Exposed and safe places for each simulated peril, according to the truth. */
export type PerilTruth = Readonly<
  Record<(typeof SIMULATED_PERILS)[number], { readonly exposed: Kind; readonly safe: Kind }>
>;

/** Risk scores of the exposed places or of the safe places. */
interface KindAnswers {
  readonly what: string;
  /** Number of places with a confidence above 0. */
  readonly answered: number;
  readonly meanScore: number | null;
}

/** Risk of one peril over the land of the region, and at places where the truth is known. */
export interface PerilJudgement {
  readonly peril: Peril;
  /** Number of evenly spread places, and number of these places with a confidence above 0. */
  readonly places: number;
  readonly answered: number;
  readonly meanConfidence: number;
  readonly exposed: KindAnswers;
  readonly safe: KindAnswers;
  /**
   * Share of the pairs of an exposed and a safe place in which the exposed place has the higher score. Equal scores
   * count half. Null if there are no pairs.
   */
  readonly ranked: number | null;
}

/** Finds places with a high and with a low true risk for each peril, from the planted events and the region's maps. */
export function perilTruth(events: readonly PlantedEvent[], layers: readonly RegionLayer[]): PerilTruth {
  const layer = (name: string): Float32Array => layers.find((one) => one.layer === name)!.samples;
  const [cover, handM, elevationM] = [layer('land-cover'), layer('hand'), layer('elevation')];
  const pixels = Array.from(cover, (_, pixel) => pixel);
  const touched = (kind: PlantedEvent['kind']): readonly number[] =>
    events.filter((event) => event.kind === kind).flatMap((event) => [...event.pixels]);
  const bowls = events.filter(({ kind }) => kind === 'subsidence');
  const sinking = bowls.flatMap((bowl) => {
    const velocities = bowlVelocities(bowl);
    return [...bowl.pixels].filter((_, i) => velocities[i]! <= -SINKING_MM);
  });
  const isLand = (pixel: number): boolean => elevationM[pixel]! > 0 && cover[pixel] !== COVER.water;
  const [windiest, calmest] = [...WEATHER_SITES].sort((a, b) => b.exposure - a.exposure).filter(isEnd);
  return {
    flood: {
      exposed: { what: 'under water in a planted flood', pixels: touched('flood') },
      safe: {
        what: `land ${HIGH_M} m above stream and sea`,
        pixels: pixels.filter((p) => isLand(p) && handM[p]! > HIGH_M && elevationM[p]! > HIGH_M),
      },
    },
    wildfire: {
      exposed: { what: 'burnt in a planted fire', pixels: touched('fire') },
      safe: {
        what: 'town and bare rock',
        pixels: pixels.filter((p) => cover[p] === COVER.built || cover[p] === COVER.bare),
      },
    },
    storm: {
      exposed: around(windiest!, pixels.filter(isLand)),
      safe: around(calmest!, pixels.filter(isLand)),
    },
    subsidence: {
      exposed: { what: `in the bowl, sinking by ${SINKING_MM} mm a year or more`, pixels: sinking },
      safe: {
        what: `land ${(STEADY_PIXELS * SANDBOX_GRID.transform[1]) / 1000} km from the bowl`,
        pixels: pixels.filter(isLand).filter(farFrom(touched('subsidence'))),
      },
    },
  };
}

function isEnd(_: unknown, i: number, all: readonly unknown[]): boolean {
  return i === 0 || i === all.length - 1;
}

function around({ key, col, row, exposure }: (typeof WEATHER_SITES)[number], land: readonly number[]): Kind {
  return {
    what: `around ${key}, whose gusts are ${exposure} times the shore's`,
    pixels: land.filter((pixel) => apart(pixel, col, row) <= NEAR_PIXELS),
  };
}

/** Returns a test for whether a pixel lies more than STEADY_PIXELS outside the bounding box of the given pixels. */
function farFrom(pixels: readonly number[]): (pixel: number) => boolean {
  const { width, height } = SANDBOX_GRID;
  let [west, north, east, south] = [width, height, -1, -1];
  for (const pixel of pixels) {
    const [col, row] = [pixel % width, Math.floor(pixel / width)];
    [west, north, east, south] = [
      Math.min(west, col),
      Math.min(north, row),
      Math.max(east, col),
      Math.max(south, row),
    ];
  }
  return (pixel) => {
    const [col, row] = [pixel % width, Math.floor(pixel / width)];
    return Math.max(west - col, col - east, north - row, row - south) > STEADY_PIXELS;
  };
}

function apart(pixel: number, col: number, row: number): number {
  const { width } = SANDBOX_GRID;
  return Math.hypot((pixel % width) - col, Math.floor(pixel / width) - row);
}

/** Compares the risk scores of all perils with the truth. */
export function judgeRisk({ layers }: Pick<Deps, 'layers'>, truth: PerilTruth): readonly PerilJudgement[] {
  const map = mapGrid(SANDBOX_GRID);
  const snapshot = layers.snapshot('sandbox');
  /** Assessments of the places that have a confidence above 0. */
  const answersAt = (peril: Peril, pixels: readonly number[]) =>
    pixels
      .map((pixel) => {
        const [lng, lat] = map.pixelCentre(pixel);
        return assessPlace(snapshot, { lat, lng, peril }, false).assessment;
      })
      .filter(({ confidence }) => confidence > 0);
  const everywhere = evenPlaces();
  return SIMULATED_PERILS.map((peril) => {
    const answers = answersAt(peril, everywhere);
    const [exposed, safe] = [truth[peril].exposed, truth[peril].safe].map(({ what, pixels }) => ({
      what,
      scores: answersAt(peril, spread(pixels)).map(({ riskScore }) => riskScore),
    }));
    return {
      peril,
      places: everywhere.length,
      answered: answers.length,
      meanConfidence: mean(answers.map(({ confidence }) => confidence)) ?? 0,
      exposed: answersOf(exposed!),
      safe: answersOf(safe!),
      ranked: rankedShare(exposed!.scores, safe!.scores),
    };
  });
}

function answersOf({ what, scores }: { readonly what: string; readonly scores: readonly number[] }) {
  return { what, answered: scores.length, meanScore: mean(scores) };
}

/**
 * Share of the pairs in which the score from `higher` is above the score from `lower`. Equal scores count half. Null if
 * there are no pairs.
 */
export function rankedShare(higher: readonly number[], lower: readonly number[]): number | null {
  let wins = 0;
  for (const a of higher) for (const b of lower) wins += a > b ? 1 : a === b ? 0.5 : 0;
  const pairs = higher.length * lower.length;
  return pairs === 0 ? null : wins / pairs;
}

function evenPlaces(): readonly number[] {
  const { width, height } = SANDBOX_GRID;
  const places: number[] = [];
  for (let row = PLACE_STEP / 2; row < height; row += PLACE_STEP)
    for (let col = PLACE_STEP / 2; col < width; col += PLACE_STEP) places.push(row * width + col);
  return places;
}

/** Selects at most MOST_PLACES of the pixels, evenly spread over the list. */
function spread(pixels: readonly number[]): readonly number[] {
  const count = Math.min(MOST_PLACES, pixels.length);
  return Array.from({ length: count }, (_, i) => pixels[Math.floor((i * pixels.length) / count)]!);
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value) / values.length;
}
