import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GUST_RETURN_PERIODS } from '../../src/app/layers/derive/derive-gust.ts';
import {
  type GustRecord,
  gustSites,
  levelsBetween,
  spacingKm,
} from '../../src/app/layers/derive/derive-gust-records.ts';
import type { LayerReading } from '../../src/risk/assessment.ts';
import { gevReturnLevel } from '../../src/numerics/gev.ts';
import { regionalGev, regionalShape } from '../../src/risk/storm/gust-climate.ts';
import { sampleLMoments } from '../../src/numerics/l-moments.ts';
import { windstormDamageRatio } from '../../src/risk/storm/schwierz.ts';
import { type Random, simulatedCard, type SimulatedCase, trueScoreOf } from './simulated-case.ts';
import { unmappedStormDamage } from './storm-cases.ts';

const SHARED = join(import.meta.dirname, '../../../shared/data');
/** Annual maximum gusts of Dutch stations, 1971 to 2012 (KNMI, from the R package SpatialExtremes). */
const DUTCH = join(SHARED, 'extreme-value-records');
const TENTH_MPS = 0.1; // unit of the Dutch gusts [m/s]
/** Daily mean winds of Irish stations, 1961 to 1978 (Haslett & Raftery 1989, from the R package gstat). */
const IRISH = join(SHARED, 'ireland-daily-wind');
const MPS_PER_KNOT = 0.514444;
const GUST_OVER_DAILY_MEAN = 2; // approximate ratio; the spreads of the levels do not depend on it
// Years in a thinned record: the minimum that `layers derive gust` accepts. The Irish records keep all their 18 years.
const THINNED_YEARS = 20;
const DAMAGE_LOG_SPREAD = 0.7; // log spread of windstorm damage: src/risk/storm/storm-assessor.ts

/**
 * Places at real stations. The truth is the return levels of the station's whole record. The layer is computed by
 * `layers derive gust` from the other stations within its reach, each thinned to 20 random years. The building is
 * drawn.
 */
function casesOf(stations: readonly GustRecord[]): (random: Random) => SimulatedCase {
  const shape = regionalShape(stations.map(({ maxima }) => maxima));
  const cellM = 1000 * spacingKm(stations);
  return (random) => {
    const said = new Float64Array(GUST_RETURN_PERIODS.length);
    let here: GustRecord;
    do {
      here = random.pick(stations);
      const others = stations.filter((other) => other !== here);
      const thinned = others.map((other) => ({
        ...other,
        maxima: shuffled(other.maxima, random).slice(0, THINNED_YEARS),
      }));
      levelsBetween(gustSites(thinned), here.lat, here.lng, said);
    } while (Number.isNaN(said[0]!));
    const truth = regionalGev(sampleLMoments(here.maxima), here.maxima.length, shape);
    const factor = Math.exp(DAMAGE_LOG_SPREAD * random.normal());
    const readings = [...said, 80].map((value): LayerReading =>
      Number.isNaN(value) ? { ok: false, reason: 'nodata' } : { ok: true, value },
    );
    return {
      cards: [
        ...GUST_RETURN_PERIODS.map((T) => simulatedCard('gust', T, cellM)),
        simulatedCard('coast-distance', null, 4638),
      ],
      readings,
      lat: here.lat,
      lng: here.lng,
      unit: here.station,
      trueScore: trueScoreOf(
        (T) => Math.min(1, factor * windstormDamageRatio(gevReturnLevel(truth, T))),
        unmappedStormDamage(random),
      ),
      trueIntensity: (T) => gevReturnLevel(truth, T),
    };
  };
}

/** Cases at the Dutch stations with at least 20 years; null when the records are absent. */
export function openDutchGusts(): Promise<((random: Random) => SimulatedCase) | null> {
  if (!existsSync(DUTCH)) return Promise.resolve(null);
  const maxima = Map.groupBy(rows(DUTCH, 'netherlands_gust_annual_max.csv'), ([station]) => station!);
  const stations = rows(DUTCH, 'netherlands_gust_stations.csv').map(([id, lng, lat]): GustRecord => ({
    station: id!,
    lat: Number(lat),
    lng: Number(lng),
    maxima: (maxima.get(id!) ?? []).map((row) => TENTH_MPS * Number(row[2])),
  }));
  const known = stations.filter((station) => station.maxima.length >= THINNED_YEARS);
  return Promise.resolve(casesOf(known));
}

/** Cases at the Irish stations; null when the records are absent. */
export function openIrishWinds(): Promise<((random: Random) => SimulatedCase) | null> {
  if (!existsSync(IRISH)) return Promise.resolve(null);
  const [header, ...days] = rows(IRISH, 'daily_mean_wind_knots.csv', 0);
  const years = [...Map.groupBy(days, ([date]) => date!.slice(0, 4)).values()];
  const stations = rows(IRISH, 'stations.csv').map(([code, , lat, lng]): GustRecord => {
    const column = header!.indexOf(code!);
    const highest = (year: readonly string[][]): number =>
      Math.max(...year.map((day) => Number(day[column])));
    return {
      station: code!,
      lat: Number(lat),
      lng: Number(lng),
      maxima: years.map((year) => GUST_OVER_DAILY_MEAN * MPS_PER_KNOT * highest(year)),
    };
  });
  return Promise.resolve(casesOf(stations));
}

function rows(folder: string, file: string, skip = 1): string[][] {
  const lines = readFileSync(join(folder, file), 'utf8').trim().split(/\r?\n/).slice(skip);
  return lines.map((line) => line.split(','));
}

/** Random permutation (Fisher & Yates 1938). */
function shuffled(values: readonly number[], random: Random): number[] {
  const mixed = [...values];
  for (let i = mixed.length - 1; i > 0; i--) {
    const j = Math.floor(random.uniform() * (i + 1));
    [mixed[i], mixed[j]] = [mixed[j]!, mixed[i]!];
  }
  return mixed;
}
