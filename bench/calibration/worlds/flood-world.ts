// Long file: one world, whose places share their water, ground, defences and views.
import { gevFromLMoments, gevQuantile, gevReturnLevel } from '../../../src/numerics/gev.ts';
import { sampleLMoments } from '../../../src/numerics/l-moments.ts';
import {
  bankHeightM,
  COARSE_LOG_SPREAD,
  expectedHeightM,
  groundHeightM,
  HAND_LOG_SPREAD,
  heightDraw,
  leastDikedHeightM,
  type SettledHeights,
} from '../../../src/risk/flood/flood-ground.ts';
import {
  ANY_RIVER,
  bankfullDepthM,
  bankfullDischargeM3s,
  INLAND_FALL_LOG_SPREAD,
  INLAND_FALL_M_PER_KM,
  MAJOR_RIVER,
  SEA_LEVEL_LOG_SPREAD,
  STAGE_LOG_SPREAD,
  stageShare,
  waterLevels,
} from '../../../src/risk/flood/flood-water.ts';
import { wettedShare } from '../../../src/risk/flood/flood-assessor.ts';
import {
  defencePrior,
  FRAGILITY_FOLDS,
  isStrong,
  type StandardPrior,
} from '../../../src/risk/flood/flood-defences.ts';
import { BUILT_YEARS } from '../../../src/risk/flood/flood-plan.ts';
import { building, cellErrorM } from '../flood-cases.ts';
import { FLOOD_PLACES, unmappedDamage } from '../flood-terrain-cases.ts';
import { type Random, trueScoreOf } from '../simulated-case.ts';
import { type Place, type View, type ViewLayer, viewOf, type World } from './world.ts';

const MAP_YEARS = [10, 20, 50, 100, 200, 500] as const;
const SHIPPED_M = 9277;
const HAND_CELLS_M = [30, 90] as const;
const FINE_CELLS_M = [10, 30, 90] as const;
const COARSE_CELLS_M = [250, 1000] as const;
const LINE_ERROR_KM = 3; // position error of mapped rivers: src/risk/flood/terrain-layers.ts
const RECORD_YEARS = [25, 40, 80] as const;
const BEYOND_COAST_KM = 80; // clamp of the layer of distances to the shore
/**
 * Smallest upstream area that maps with wide cells follow [km2]: those of the JRC have none below 500 km2.
 * @see doi:10.5194/essd-14-1549-2022 (Dottori et al. 2022)
 */
const LEAST_MAPPED_KM2 = 500;
/** Shares of places [1] (our choice): on a coast, defended, and with a layer of protection where they are defended. */
const COASTAL = 0.35;
/**
 * Share of people that the flood of 100 years reaches [1].
 * @see doi:10.1038/s41467-022-30727-4 (Rentschler et al. 2022, abstract: 1.81 billion, 23 %)
 */
const ON_PLAIN = 0.23;
const DEFENDED = 0.5;
const TOLD_PROTECTION = 0.5;
const STANDARDS = [20, 50, 100, 200] as const; // protection standards [years]
/** Log spread of the return period at which defences fail about their standard [1]. */
const FAILURE = 0.5;
/** Height above drainage [m] where people build: median, and log spread [1] (our choice: one in twelve below 1 m). */
const BUILT_HAND = { medianM: 8, spread: 1.5 };

/**
 * Spread of the logarithm by which the towns near a place stand higher than their mapped heights let expect, and of all
 * places about that [1]: as left by scripts/derive/settled-heights.ts.
 */
const TOWN_SPREAD = 0.6;
const OWN_SPREAD = COARSE_LOG_SPREAD;
/** Errors of the logarithm of `coast-level` [1]: those of gauges that are left out in scripts/derive/coast-levels.ts. */
const COAST_ERRORS = [0.12, 0.14, 0.28] as const;
const COAST_YEARS = [10, 100, 500] as const;
const COAST_CELL_M = 27_830;

/** Share of places whose defences follow the prior of their country [1] (our choice); the others have one of `STANDARDS`. */
const BY_COUNTRY = 0.5;

/** Water of one cause against the ground of a place. */
interface Source {
  readonly cause: 'river' | 'sea';
  /** Height of the water above the ground at a return period [m]; negative where it does not reach it. */
  readonly above: (returnPeriodYears: number) => number;
  /** By how much the ground is higher where it lies behind a strong defence [m]. */
  readonly dikedRiseM: number;
  /** Whether the source is so small that maps with wide cells leave it out. */
  readonly isSmall: boolean;
}

/** Truth of a place, and the layers of heights and distances that describe it. */
interface Ground {
  readonly truth: string;
  readonly coastKm: number;
  readonly sources: readonly Source[];
  readonly terrain: readonly ViewLayer[];
  readonly handM: number;
  readonly areaKm2: number;
}

function place(random: Random): Place {
  const [lat, lng, country] = random.pick(FLOOD_PLACES);
  const rainMm = random.between(30, 180);
  const ground = random.uniform() < 0.5 ? stageGround(random) : gaugedGround(random);
  const prior = defencePrior(country);
  const byCountry = random.uniform() < BY_COUNTRY;
  const other = random.uniform() < DEFENDED ? random.pick(STANDARDS) : 0;
  const standardOf = ({ mean, spread }: StandardPrior): number =>
    byCountry ? Math.exp(mean + spread * random.normal()) : other;
  const standards = { river: standardOf(prior.river), sea: standardOf(prior.sea) };
  const folds = byCountry ? FRAGILITY_FOLDS * (random.uniform() - 0.5) : FAILURE * random.normal();
  const isBuilt = random.uniform() < 0.5; // undefended buildings stand above the usual water in half of the places
  const breach = random.uniform();
  const depthOf = ({ above, cause, dikedRiseM }: Source, T: number): number => {
    const isDiked = isStrong(Math.log(standards[cause]));
    const usual = isBuilt && !isDiked ? Math.max(0, above(BUILT_YEARS)) : 0;
    return Math.max(0, above(T) - usual - (isDiked ? dikedRiseM : 0));
  };
  const depthAt = (T: number): number => Math.max(0, ...ground.sources.map((source) => depthOf(source, T)));
  // Half of the buildings follow the curve of another continent: whether the curve of this one holds is not known.
  const [ofLat, ofLng] = random.uniform() < 0.5 ? [lat, lng] : random.pick(FLOOD_PLACES);
  const ratioOf = building(ofLat, ofLng, random.uniform());
  const hasSill = random.uniform() < 0.5;
  const damageOf = (source: Source, T: number): number => {
    const standard = standards[source.cause];
    if (T < standard * Math.exp(folds)) return 0;
    const depth = depthOf(source, T);
    const reached = isStrong(Math.log(standard)) ? breach : 1;
    return reached * (hasSill ? Math.max(0, wettedShare(depth)) : 1) * ratioOf(depth);
  };
  const standard = Math.max(...ground.sources.map(({ cause }) => standards[cause]));
  const coast: readonly ViewLayer[] = [
    ['coast-distance', null, 4638, ground.coastKm],
    ['country', null, 1855, country],
    ['extreme-rain', null, 55_660, rainMm],
  ];
  const protection: readonly ViewLayer[] =
    standard > 0 && random.uniform() < TOLD_PROTECTION ? [['flood-protection', null, 1000, standard]] : [];
  const shipped = [...coast, ...ground.terrain];
  const handM = random.pick(HAND_CELLS_M);
  const hand: readonly ViewLayer[] = [
    ['hand', null, handM, ground.handM * Math.exp(HAND_LOG_SPREAD * random.normal())],
    ['upstream-area', null, handM, ground.areaKm2],
  ];
  const map = (cellM: number): View =>
    viewOf([...shipped, ...protection, ...floodMaps(random, ground, cellM)]);
  const rain = unmappedDamage(random, rainMm);
  return {
    lat,
    lng,
    truth: ground.truth,
    trueScore: trueScoreOf((T) => Math.max(0, ...ground.sources.map((source) => damageOf(source, T))), rain),
    trueIntensity: depthAt,
    views: [
      viewOf(coast),
      viewOf(shipped),
      viewOf([...shipped, ...hand]),
      map(random.pick(COARSE_CELLS_M)),
      map(random.pick(FINE_CELLS_M)),
    ],
  };
}

/** Ground whose water follows the prior levels of sea and rivers, and small streams that no layer of rivers has. */
function stageGround(random: Random): Ground {
  const coastKm = random.uniform() < COASTAL ? random.between(0, 30) : BEYOND_COAST_KM;
  const waterKm = random.between(0, 25);
  const majorKm = random.between(0, 60);
  const elevationM = Math.exp(random.between(Math.log(0.5), Math.log(200)));
  const aboveWaterM = Math.exp(random.between(Math.log(0.5), Math.log(100)));
  const spread = Math.exp(COARSE_LOG_SPREAD * random.normal());
  const fall = INLAND_FALL_M_PER_KM * Math.exp(INLAND_FALL_LOG_SPREAD * random.normal());
  const towns = {
    sea: TOWN_SPREAD * random.normal(),
    water: TOWN_SPREAD * random.normal(),
    major: TOWN_SPREAD * random.normal(),
  };
  const medianM = groundHeightM(elevationM, coastKm, towns.sea);
  const heightM = heightDraw(medianM, spread);
  const groundM = heightM + fall * coastKm;
  const seaFactor = Math.exp(SEA_LEVEL_LOG_SPREAD * random.normal());
  const stageFactor = Math.exp(STAGE_LOG_SPREAD * random.normal());
  const ratioAt = (T: number): number => waterLevels([T]).stageRatio[0]!;
  const rivers = [
    { river: ANY_RIVER, km: waterKm, town: towns.water },
    { river: MAJOR_RIVER, km: majorKm, town: towns.major },
  ].flatMap(({ river, km, town }): Source[] => {
    const share = stageShare(river, Math.max(0, km - LINE_ERROR_KM));
    if (share === 0) return [];
    const bankM = Math.max(
      0,
      heightDraw(bankHeightM(river.heights, aboveWaterM, Math.max(0, km - LINE_ERROR_KM), town), spread),
    );
    const depthM = bankfullDepthM(river.bankfullM3s) * share * stageFactor;
    return [{ cause: 'river', above: (T) => depthM * ratioAt(T) - bankM, isSmall: false, dikedRiseM: 0 }];
  });
  const areaKm2 = 10 ** random.between(0, 4);
  const handM = BUILT_HAND.medianM * Math.exp(BUILT_HAND.spread * random.normal());
  const streamM =
    bankfullDepthM(bankfullDischargeM3s(areaKm2)) * Math.exp(STAGE_LOG_SPREAD * random.normal());
  const stream: Source = {
    cause: 'river',
    above: (T) => streamM * ratioAt(T) - handM,
    isSmall: areaKm2 < LEAST_MAPPED_KM2,
    dikedRiseM: 0,
  };
  const sea: Source = {
    cause: 'sea',
    above: (T) => waterLevels([T]).seaM[0]! * seaFactor - groundM,
    isSmall: false,
    dikedRiseM: Math.max(0, leastDikedHeightM(medianM) - heightM),
  };
  return {
    truth: 'prior levels',
    coastKm,
    sources: [...rivers, stream, ...(coastKm < BEYOND_COAST_KM ? [sea] : [])],
    terrain: [
      ...terrainLayers({ waterKm, majorKm, elevationM, aboveWaterM }, towns),
      ...(coastKm < BEYOND_COAST_KM ? coastLevels(random, seaFactor) : []),
    ],
    handM,
    areaKm2,
  };
}

/** Ground by a gauged river whose annual maxima have a GEV distribution; some of the places are on its flood plain. */
function gaugedGround(random: Random): Ground {
  const water = {
    location: 0,
    scale: Math.exp(random.between(Math.log(0.15), Math.log(0.6))),
    shape: 0.05 + 0.08 * random.normal(),
  };
  const isPlain = random.uniform() < ON_PLAIN;
  const groundM = isPlain ? random.between(-0.2, 3) * (0.5 + water.scale) : random.between(3, 30);
  // The mean height of a wide cell is that of its hills too.
  const hills = Math.exp(random.between(0, 2.5));
  const waterKm = isPlain ? random.between(0, 8) : random.between(0, 25);
  const majorKm = random.uniform() < 0.5 ? waterKm : random.between(waterKm, 60);
  const aboveWaterM = Math.max(0.5, groundM) * hills;
  const town = (fit: SettledHeights, km: number): number => {
    const own = Math.log(
      Math.max(0.5, groundM) / expectedHeightM(fit, aboveWaterM, Math.max(0, km - LINE_ERROR_KM)),
    );
    const share = TOWN_SPREAD ** 2 / (TOWN_SPREAD ** 2 + OWN_SPREAD ** 2);
    return share * own + TOWN_SPREAD * Math.sqrt(1 - share) * random.normal();
  };
  const towns = {
    sea: TOWN_SPREAD * random.normal(),
    water: town(ANY_RIVER.heights, waterKm),
    major: town(MAJOR_RIVER.heights, majorKm),
  };
  return {
    truth: 'gauged river',
    coastKm: BEYOND_COAST_KM,
    sources: [
      { cause: 'river', above: (T) => gevReturnLevel(water, T) - groundM, isSmall: false, dikedRiseM: 0 },
    ],
    terrain: terrainLayers({ waterKm, majorKm, elevationM: random.between(20, 300), aboveWaterM }, towns),
    handM: Math.max(0.1, groundM + 0.5),
    areaKm2: 10 ** random.between(2, 5),
  };
}

interface Mapped {
  readonly waterKm: number;
  readonly majorKm: number;
  readonly elevationM: number;
  readonly aboveWaterM: number;
}

/** How much higher the towns near by stand above each kind of water (logarithm). */
type Towns = Readonly<Record<'sea' | 'water' | 'major', number>>;

/** Levels of the coast that differ from the true ones by the error that a layer states. */
function coastLevels(random: Random, seaFactor: number): ViewLayer[] {
  const error = random.pick(COAST_ERRORS);
  const factor = seaFactor * Math.exp(error * random.normal());
  return [
    ...COAST_YEARS.map((T): ViewLayer => [
      'coast-level',
      T,
      COAST_CELL_M,
      waterLevels([T]).seaM[0]! * factor,
    ]),
    ['coast-level-error', null, COAST_CELL_M, error],
  ];
}

function terrainLayers({ waterKm, majorKm, elevationM, aboveWaterM }: Mapped, towns: Towns): ViewLayer[] {
  return [
    ['settled-height', null, SHIPPED_M, towns.sea],
    ['settled-bank', null, SHIPPED_M, towns.water],
    ['settled-major-bank', null, SHIPPED_M, towns.major],
    ['water-distance', null, SHIPPED_M, waterKm],
    ['major-river-distance', null, SHIPPED_M, majorKm],
    ['elevation', null, SHIPPED_M, elevationM],
    ['height-above-water', null, SHIPPED_M, aboveWaterM],
  ];
}

/**
 * Flood maps of a place: from a GEV fitted to a record of some decades of its water levels, against heights with the
 * error of a cell; depths are rounded to the centimetre.
 */
function floodMaps(random: Random, { sources, coastKm }: Ground, cellM: number): ViewLayer[] {
  const error = cellErrorM(cellM, random) * random.normal();
  const isWide = cellM >= COARSE_CELLS_M[0];
  const layers: ViewLayer[] = [];
  for (const [layer, cause] of [
    ['flood-depth', 'river'],
    ['coastal-flood-depth', 'sea'],
  ] as const) {
    if (cause === 'sea' && !(coastKm < BEYOND_COAST_KM)) continue;
    const seen = sources.filter((source) => source.cause === cause && !(isWide && source.isSmall));
    if (seen.length === 0) {
      for (const T of MAP_YEARS) layers.push([layer, T, cellM, 0]);
      continue;
    }
    const above = (T: number): number => Math.max(...seen.map((source) => source.above(T)));
    const levels = Float64Array.from({ length: random.pick(RECORD_YEARS) }, () =>
      above(1 / (1 - Math.max(0.02, random.uniform()))),
    );
    const fitted = gevFromLMoments(sampleLMoments(levels));
    for (const T of MAP_YEARS) {
      const depth = gevQuantile(fitted, 1 - 1 / T) - error;
      layers.push([layer, T, cellM, Math.round(100 * Math.max(0, depth)) / 100]);
    }
  }
  return layers;
}

/** Floods: truths of prior water levels and of gauged rivers; defended or not; of either depth-damage curve. */
export const FLOOD_WORLD: World = { peril: 'flood', place };
