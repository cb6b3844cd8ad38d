import { InvalidInput } from '../../../base/errors.ts';
import { LEAST_YEARS } from '../../../risk/storm/gust-climate.ts';
import type { PointsReader } from '../../stations/points-reader.ts';
import { type AddedLayer, addMadeLayer, type LayerDeps } from '../add-layer.ts';
import { fileName } from '../file-name.ts';
import type { VersionRequest } from '../layer-checks.ts';
import { refuseDoubtful } from './doubtful-records.ts';
import {
  GAUGE_KINDS,
  gaugeOf,
  type GaugeOptions,
  type GaugeReport,
  type GaugeRule,
} from './gauge-records.ts';
import { distanceKm, eachCell, influenceAreas, medianSpacingKm, type Place } from './points-of-influence.ts';
import {
  FULL_YEAR,
  type MaximaRecord,
  readYearlyMaxima,
  type RecordsRequest,
  spanOf,
} from './yearly-maxima.ts';

/** Input of a derivation of flood levels, and the version under which the layers are installed. */
export interface FloodLevelsRequest extends VersionRequest, RecordsRequest, GaugeOptions {
  /** Radius in which a gauge speaks for its coast or reach [km]. */
  readonly reachKm?: number | undefined;
}

/** Result of a derivation of flood levels. */
export interface DerivedFloodLevels {
  readonly added: readonly AddedLayer[];
  readonly unit: string;
  readonly reachKm: number;
  readonly gauges: readonly GaugeReport[];
  readonly leftOut: readonly string[];
  readonly doubts: readonly string[];
  readonly years: number;
  readonly droppedYears: number;
}

/** Cell size [degrees]; cell centres are at multiples of the cell size. */
const STEP = 0.05;
/** Range of the reach that may be requested [km]. */
const REACHES_KM = [1, 1000] as const;
/**
 * Derives flood levels from the records of tide or river gauges and installs them as layers that the flood model reads
 * in place of its prior: for each return period the level, and the error of its logarithm. The error grows with the
 * distance from the gauge, so that the model's prior takes over gradually.
 * @throws InvalidInput when the records cannot be used
 */
export async function deriveFloodLevels(
  deps: LayerDeps & { readonly points: PointsReader },
  request: FloodLevelsRequest,
): Promise<DerivedFloodLevels> {
  const kind = GAUGE_KINDS[request.kind];
  const name = fileName(request.path);
  checkOptions(request);
  const reachKm = request.reachKm ?? kind.reachKm;
  const records = await readYearlyMaxima(deps.points, request, kind.metric, kind.columns);
  const isConfirmed = request.keepDoubtful === true;
  const usable = records.filter(({ maxima }) => maxima.length >= LEAST_YEARS);
  const doubts = [...refuseDoubtful(name, usable, kind.plausible, isConfirmed)];
  const used = usable.filter(({ maxima }) => maxima.some(({ value }) => value !== maxima[0]!.value));
  const leftOut = records
    .filter((record) => !used.includes(record))
    .map((record) => `station ${record.station} has ${spanOf(record)}`);
  if (used.length === 0)
    throw new InvalidInput(
      `${name} has no gauge with ${LEAST_YEARS} whole years of values that differ (a year counts with ${100 * FULL_YEAR} % of the days of the fullest): ` +
        (leftOut.slice(0, 5).join('; ') || 'it has no gauge'),
      { param: 'records' },
    );
  if (used.length > 1)
    for (const [param, value] of [
      ['mean-level', request.meanLevelM],
      ['bank', request.bankM],
      ['area', request.areaKm2],
    ] as const)
      if (value !== undefined)
        throw new InvalidInput(`${param} ${value}: expected one gauge, got ${used.length} in ${name}`, {
          param,
        });
  const thisYear = new Date(deps.clock.now()).getUTCFullYear();
  const gauges = used.map((record) => gaugeOf(record, request, thisYear, name, doubts, isConfirmed));
  const added = await install(deps, gauges, kind, reachKm, request);
  const sum = (of: (record: MaximaRecord) => number): number => used.reduce((n, one) => n + of(one), 0);
  return {
    added,
    unit: kind.unit,
    reachKm,
    gauges,
    leftOut,
    doubts,
    years: sum(({ maxima }) => maxima.length),
    droppedYears: sum(({ dropped }) => dropped),
  };
}

/** @throws InvalidInput when an option does not go with the kind of gauge, or is out of range */
function checkOptions({ kind, meanLevelM, bankM, areaKm2, reachKm }: FloodLevelsRequest): void {
  const [least, most] = REACHES_KM;
  if (reachKm !== undefined && !(reachKm >= least && reachKm <= most))
    throw new InvalidInput(`reach ${reachKm}: expected ${least} to ${most} km`, { param: 'reach' });
  for (const [param, value, kinds] of [
    ['mean-level', meanLevelM, ['sea-level']],
    ['bank', bankM, ['river-level']],
    ['area', areaKm2, ['river-level', 'river-flow']],
  ] as const)
    if (value !== undefined && !(kinds as readonly string[]).includes(kind))
      throw new InvalidInput(`${param} ${value}: expected --kind ${kinds.join(' or ')}, got ${kind}`, {
        param,
      });
  if (areaKm2 !== undefined && !(areaKm2 > 0 && areaKm2 <= 7_500_000))
    throw new InvalidInput(`area ${areaKm2}: expected an upstream area above 0, up to 7500000 km2`, {
      param: 'area',
    });
  if (kind === 'river-level' && areaKm2 === undefined)
    throw new InvalidInput(
      'a stage alone does not tell how large the river is: expected --area with the upstream area [km2] of the gauge',
      { param: 'area' },
    );
}

/**
 * Interpolates levels at a place: mean of the gauges within reach, weighted by the inverse squares of their errors. The
 * error grows with the distance x from a gauge as `sqrt(e^2 + s^2 (exp(4 x/R) - 1))`, where e is the error at the gauge,
 * s the spread between gauges and R the reach: without an error of its own, the gauge explains `exp(-4 x/R)` of the
 * spread (simple kriging with the correlation `exp(-2 x/R)`), 2 % at its reach. The error of the place is that of the
 * best gauge, because errors of neighbours are correlated.
 * @param into receives one level for each return period; NaN where no gauge has it
 * @returns the error of the logarithm of the levels; NaN where no gauge is within reach
 */
export function floodLevelsBetween(
  gauges: readonly Pick<GaugeReport, 'lat' | 'lng' | 'layerLevels' | 'logError'>[],
  centre: Place,
  reachKm: number,
  logSpread: number,
  into: Float64Array,
): number {
  const weights = new Float64Array(into.length);
  let least = Infinity;
  into.fill(0);
  for (const gauge of gauges) {
    const km = distanceKm(gauge, centre);
    if (km > reachKm) continue;
    const variance = gauge.logError ** 2 + logSpread ** 2 * Math.expm1((4 * km) / reachKm);
    least = Math.min(least, variance);
    for (let i = 0; i < gauge.layerLevels.length; i++) {
      into[i]! += gauge.layerLevels[i]! / variance;
      weights[i]! += 1 / variance;
    }
  }
  for (let i = 0; i < into.length; i++) into[i] = weights[i]! > 0 ? into[i]! / weights[i]! : Number.NaN;
  return Number.isFinite(least) ? Math.sqrt(least) : Number.NaN;
}

async function install(
  deps: LayerDeps,
  gauges: readonly GaugeReport[],
  { layer, logSpread }: GaugeRule,
  reachKm: number,
  request: FloodLevelsRequest,
): Promise<readonly AddedLayer[]> {
  const name = fileName(request.path);
  const spacing = Math.min(reachKm, medianSpacingKm(gauges));
  const shared = {
    version: request.version,
    date: request.date,
    licence: request.licence,
    source:
      request.source ??
      `GEV of yearly maxima at ${gauges.length} ${gauges.length === 1 ? 'gauge' : 'gauges'} from ${name}`,
    from: name,
    resolutionM: Math.round(1000 * spacing),
    environment: request.environment,
  };
  const longest = gauges.reduce((most, one) => (one.levels.length > most.levels.length ? one : most)).levels;
  const added: AddedLayer[] = [];
  const replaced = new Set<number | undefined>();
  for (const area of influenceAreas(gauges, reachKm, STEP)) {
    const { grid } = area;
    const empty = (): Float32Array => new Float32Array(grid.width * grid.height).fill(Number.NaN);
    const rasters = longest.map(empty);
    const errors = empty();
    const levels = new Float64Array(longest.length);
    eachCell(area, reachKm, (cell, centre, near) => {
      errors[cell] = floodLevelsBetween(near, centre, reachKm, logSpread, levels);
      for (let i = 0; i < levels.length; i++) rasters[i]![cell] = levels[i]!;
    });
    const maps = [
      ...longest.map(({ returnPeriodYears }, i) => ({ layer, returnPeriodYears, samples: rasters[i]! })),
      { layer: `${layer}-error`, returnPeriodYears: undefined, samples: errors },
    ];
    for (const { samples, ...map } of maps) {
      if (samples.every(Number.isNaN)) continue;
      // Only the first area replaces the earlier pieces of the version: the others would replace the first.
      const replace = request.replace === true && !replaced.has(map.returnPeriodYears);
      replaced.add(map.returnPeriodYears);
      added.push(await addMadeLayer(deps, { ...shared, ...map, replace, raster: { grid, samples } }));
    }
  }
  return added;
}
