import { InvalidInput } from '../../../base/errors.ts';
import {
  type GaugeClimate,
  gaugeClimate,
  RIVER_SHAPE,
  SEA_SHAPE,
} from '../../../risk/flood/gauge-climate.ts';
import {
  bankfullDepthM,
  bankfullDischargeM3s,
  OVERBANK_SHARE,
  SEA_LEVEL_LOG_SPREAD,
  STAGE_LOG_SPREAD,
} from '../../../risk/flood/flood-water.ts';
import type { ReturnLevel } from '../../../risk/storm/gust-climate.ts';
import type { PlausibleMaxima } from './doubtful-records.ts';
import type { Place } from './points-of-influence.ts';
import { type MaximaRecord, spanOf } from './yearly-maxima.ts';

/** What a gauge measures. */
export type GaugeKind = 'sea-level' | 'river-level' | 'river-flow';

/** What a user says about the gauges of a file. */
export interface GaugeOptions {
  readonly kind: GaugeKind;
  /** Of a tide gauge: mean sea level above the zero of the gauge [m]. Default: the mean of the last 19 years. */
  readonly meanLevelM?: number | undefined;
  /** Of a river gauge: stage at which the river is full to its banks [m]. Default: the level of two years. */
  readonly bankM?: number | undefined;
  /** Of a river gauge: upstream area [km2]. Required for stages, whose river is not known otherwise. */
  readonly areaKm2?: number | undefined;
}

/** What a gauge tells. */
export interface GaugeReport extends Place, GaugeClimate {
  readonly station: string;
  /** What the record covers, in words. */
  readonly span: string;
  readonly years: number;
  /** Standard error of the logarithm of the layer's levels at the gauge [1]. */
  readonly logError: number;
  /** Levels as the layer has them: m above mean sea level, or height above the bank per bankfull depth [1]. */
  readonly layerLevels: readonly number[];
}

/** How records of one kind are read and judged. */
export interface GaugeRule {
  readonly metric: 'river_level' | 'river_flow';
  readonly columns: readonly string[];
  readonly unit: string;
  readonly layer: 'sea-level' | 'river-stage';
  readonly reachKm: number;
  /** Spread between gauges, as the standard deviation of the logarithm of their levels [1]. */
  readonly logSpread: number;
  /** Error of the relation from record to layer, as the standard deviation of the logarithm of the levels [1]. */
  readonly logError: number;
  readonly plausible: PlausibleMaxima;
}

const LEVELS = ['water_level', 'level', 'stage', 'height', 'gauge_height', 'value'] as const;
/**
 * Reach of a gauge [km] (our choice): surges of one storm cover a few hundred kilometres of a coast; along a river, the
 * ratio of a rare to a usual flood changes at the larger tributaries.
 */
const SEA_REACH_KM = 200;
const RIVER_REACH_KM = 60;
/** Error of a stage above the bank that follows from a flow [1] (our choice): no rating curve is known. */
const FLOW_LOG_ERROR = 0.3;
/** Error of the datum and of the shape of the valley at a gauge of levels [1] (our choice). */
const LEVEL_LOG_ERROR = 0.1;
const ANY = Number.POSITIVE_INFINITY;

/**
 * Limits of plausibility. Levels of gauges count from any datum, so their medians say little; the levels above mean sea
 * level or bank are checked instead. Largest flows: the Amazon has 370,000 m3/s.
 */
export const GAUGE_KINDS: Readonly<Record<GaugeKind, GaugeRule>> = {
  'sea-level': {
    metric: 'river_level',
    columns: ['sea_level', 'tide', 'verified', ...LEVELS],
    unit: 'm',
    layer: 'sea-level',
    reachKm: SEA_REACH_KM,
    logSpread: SEA_LEVEL_LOG_SPREAD,
    logError: LEVEL_LOG_ERROR,
    plausible: { unit: 'm', median: [-ANY, ANY], mostTimesMedian: ANY },
  },
  'river-level': {
    metric: 'river_level',
    columns: LEVELS,
    unit: 'm',
    layer: 'river-stage',
    reachKm: RIVER_REACH_KM,
    logSpread: STAGE_LOG_SPREAD,
    logError: LEVEL_LOG_ERROR,
    plausible: { unit: 'm', median: [-ANY, ANY], mostTimesMedian: ANY },
  },
  'river-flow': {
    metric: 'river_flow',
    columns: ['discharge', 'flow', 'streamflow', 'peak_flow', 'q', 'value'],
    unit: 'm3/s',
    layer: 'river-stage',
    reachKm: RIVER_REACH_KM,
    logSpread: STAGE_LOG_SPREAD,
    logError: FLOW_LOG_ERROR,
    plausible: { unit: 'm3/s', median: [0.001, 300_000], mostTimesMedian: 100 },
  },
};

/** Bounds of the median yearly maximum above mean sea level [m]: from the Baltic to the Bay of Fundy. */
const SEA_MEDIAN_M = [0.15, 10] as const;
/** Maximum rise of a 100-year stage above that of two years [m]: more is a level in cm or feet. */
const MOST_RISE_M = 25;
/** Bounds of the ratio of the two-year flow to that of an area of this size in a humid climate [1]. */
const FLOW_RATIOS = [0.001, 30] as const;
/** Bounds of the error of a gauge [1]. */
const LEAST_LOG_ERROR = 0.02;
const MOST_LOG_ERROR = 2;
/** Return period [years] up to which the error of a gauge is taken from its intervals. */
const ERROR_YEARS = 100;
const NINETY = 1.645; // normal deviate of the ends of a 90 % interval

/**
 * Fits the record of a gauge, with at least ten years, not all equal. Adds to `doubts` what is implausible about its
 * levels.
 * @throws InvalidInput when levels are implausible and not confirmed, or lack a datum
 */
export function gaugeOf(
  record: MaximaRecord,
  request: GaugeOptions,
  thisYear: number,
  name: string,
  doubts: string[],
  isConfirmed: boolean,
): GaugeReport {
  const { kind } = request;
  const { station, lat, lng, maxima } = record;
  if (kind === 'river-flow' && !maxima.every(({ value }) => value > 0))
    throw new InvalidInput(
      `${name}: station ${station} has a year without flow; expected maxima above 0 m3/s`,
      {
        param: 'records',
      },
    );
  const shape = kind === 'sea-level' ? SEA_SHAPE : RIVER_SHAPE;
  const climate = gaugeClimate(maxima, shape, kind === 'river-flow', thisYear);
  const { toLayer, doubt } = conversionOf(record, request, climate.levels, name);
  if (doubt !== undefined) {
    const text = `station ${station}: ${doubt}`;
    if (!isConfirmed)
      throw new InvalidInput(
        `${name} has an implausible record. ${text}. Give the right --unit or --scale, or confirm the figures with --keep-doubtful`,
        { param: 'records' },
      );
    doubts.push(text);
  }
  return {
    ...climate,
    station,
    lat,
    lng,
    span: spanOf(record),
    years: maxima.length,
    logError: logErrorOf(climate.levels, toLayer, GAUGE_KINDS[kind].logError),
    layerLevels: climate.levels.map(({ level }) => Math.max(0, toLayer(level))),
  };
}

/** Conversion from levels of the record to those of the layer, and what is implausible about them. */
interface LevelConversion {
  readonly toLayer: (level: number) => number;
  readonly doubt: string | undefined;
}

const figure = (value: number): string => String(Number(value.toPrecision(3)));

function conversionOf(
  record: MaximaRecord,
  request: GaugeOptions,
  levels: readonly ReturnLevel[],
  name: string,
): LevelConversion {
  const { kind, areaKm2 } = request;
  const twoYears = levels[0]!.level;
  const rarest = levels.at(-1)!;
  if (kind === 'sea-level') {
    const mean = request.meanLevelM ?? (record.isYearly ? undefined : record.recentMean);
    if (mean === undefined)
      throw new InvalidInput(
        `${name} has one level a year, above the zero of its gauge: expected --mean-level with the mean sea level above that zero [m] ` +
          '(0 where levels already count from mean sea level)',
        { param: 'mean-level' },
      );
    const [least, most] = SEA_MEDIAN_M;
    const usual = twoYears - mean;
    return {
      toLayer: (level) => level - mean,
      doubt:
        usual >= least && usual <= most
          ? undefined
          : `every other year has ${figure(usual)} m above the mean sea level of ${figure(mean)} m or more; plausible are ${least} to ${most}`,
    };
  }
  if (kind === 'river-level') {
    const bank = request.bankM ?? twoYears;
    const depth = bankfullDepthM(bankfullDischargeM3s(areaKm2!));
    const rise = rarest.level - twoYears;
    return {
      toLayer: (level) => (level - bank) / depth,
      doubt:
        rise <= MOST_RISE_M
          ? undefined
          : `the level of ${rarest.returnPeriodYears} years is ${figure(rise)} m above that of two years; plausible are up to ${MOST_RISE_M}`,
    };
  }
  const usual = areaKm2 === undefined ? twoYears : bankfullDischargeM3s(areaKm2);
  const ratio = twoYears / usual;
  const [least, most] = FLOW_RATIOS;
  const scale = (OVERBANK_SHARE * bankfullDepthM(twoYears)) / bankfullDepthM(usual);
  return {
    toLayer: (flow) => scale * (Math.max(0, flow / twoYears) ** 0.6 - 1),
    doubt:
      ratio >= least && ratio <= most
        ? undefined
        : `every other year has ${figure(twoYears)} m3/s or more, ${figure(ratio)} times the usual flow from ${areaKm2} km2; plausible are ${least} to ${most} times`,
  };
}

/** Error of the logarithm of the rarest level up to 100 years [1], from its interval and the conversion. */
function logErrorOf(
  levels: readonly ReturnLevel[],
  toLayer: (level: number) => number,
  conversion: number,
): number {
  const { level, low, high } = levels.findLast(({ returnPeriodYears: T }) => T <= ERROR_YEARS)!;
  const [middle, below, above] = [level, low, high].map(toLayer) as [number, number, number];
  const sampling = middle > 0 ? (above - below) / (2 * NINETY * middle) : MOST_LOG_ERROR;
  return Math.min(MOST_LOG_ERROR, Math.max(LEAST_LOG_ERROR, Math.hypot(sampling, conversion)));
}
