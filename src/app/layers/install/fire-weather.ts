import type { Bbox } from '../../../geo/bbox.ts';
import { InvalidInput } from '../../../base/errors.ts';
import { DAY_MS } from '../../../base/time.ts';
import type { AddedLayer } from '../add-layer.ts';
import { deriveFireDanger } from '../derive/derive-fire-danger.ts';
import { type Dataset, type FetchedFile, latticeCorners } from './dataset.ts';

const STEP = 0.25; // grid of ERA5 [degrees]
const REACH_KM = 14; // half of that grid: cells of neighbouring points meet
const YEARS = 20; // enough for return levels of 40 years
const MOST_POINTS = 16; // a point of 20 years costs some 500 calls of the 10,000 that are free a day
const LATE_DAYS = 7; // ERA5 is published five days late
const VARIABLES = ['temperature_2m', 'relative_humidity_2m', 'wind_speed_10m', 'precipitation'] as const;
const LEAST_RAIN_HOURS = 20; // fewest hours of a day whose rain must be known (our choice)

/** Daily noon weather of ERA5 from the archive of Open-Meteo, as fire danger. */
export const FIRE_WEATHER: Dataset = {
  name: 'era5-fire-weather',
  meaning: `ERA5 weather of ${YEARS} years on its grid of ${STEP} degrees (Open-Meteo), as fire danger`,
  layers: ['fire-danger', 'fire-severity'],
  licence: 'CC BY 4.0 (ERA5: Copernicus licence); free of charge for non-commercial use',
  source:
    'ERA5, Copernicus Climate Change Service (Hersbach et al. 2020, doi:10.1002/qj.3803), by Open-Meteo.com, doi:10.5281/zenodo.7970649',
  documentation: 'https://open-meteo.com/en/docs/historical-weather-api',
  base: 'https://archive-api.open-meteo.com/',
  plan(request) {
    const { from, to } = periodOf(request.nowMs);
    return pointsOf(request.boxes).map(({ lat, lng }) => ({
      url: `${request.base}v1/archive?latitude=${lat}&longitude=${lng}&start_date=${from}&end_date=${to}&hourly=${VARIABLES.join()}&models=era5&timezone=GMT`,
      name: `era5_${lat}_${lng}_${to}.json`,
      format: 'JSON',
      isMade: true,
    }));
  },
  async install(deps, request, files) {
    const { to } = periodOf(request.nowMs);
    const points = pointsOf(request.boxes);
    const added: AddedLayer[] = [];
    for (const file of files) {
      const { lat, lng } = points.find((one) => file.name === `era5_${one.lat}_${one.lng}_${to}.json`)!;
      const station = `${request.folder}/${file.name.replace('.json', '.csv')}`;
      await deps.downloads.writeText(
        station,
        noonTable(hourly(file, await deps.downloads.readText(file.path)), lng),
      );
      const derived = await deriveFireDanger(
        { ...deps, stacks: NO_STACKS },
        {
          weather: { station, lat, lng, reachKm: REACH_KM },
          season: 'temperature',
          variant: 'current',
          overwintering: { carryOver: 0.75, wetting: 0.75 },
          version: `era5-${to.slice(0, 4)}`,
          date: to,
          licence: FIRE_WEATHER.licence,
          source: FIRE_WEATHER.source,
          replace: false,
          environment: request.environment,
        },
      );
      added.push(...derived.added);
    }
    return added;
  },
};

const NO_STACKS = {
  open: () => Promise.reject(new RangeError('no stacks here')),
  readDates: () => Promise.reject(new RangeError('no dates here')),
};

/** Whole years up to the last one that is published. */
function periodOf(nowMs: number): { readonly from: string; readonly to: string } {
  const last = new Date(nowMs - LATE_DAYS * DAY_MS).getUTCFullYear() - 1;
  return { from: `${last - YEARS + 1}-01-01`, to: `${last}-12-31` };
}

/** Grid points whose cells the boxes overlap. @throws InvalidInput when they are too many */
function pointsOf(boxes: readonly Bbox[]): readonly { readonly lat: number; readonly lng: number }[] {
  const shift = STEP / 2;
  const cells = latticeCorners(
    boxes.map(([w, s, e, n]): Bbox => [w + shift, s + shift, e + shift, n + shift]),
    STEP,
  );
  if (cells.length > MOST_POINTS)
    throw new InvalidInput(
      `--bbox: ${cells.length} points of ERA5; at most ${MOST_POINTS} are asked for at once (about one degree each way): give smaller boxes`,
      { param: 'bbox' },
    );
  return cells.map(([lng, lat]) => ({ lat, lng }));
}

type Hourly = Readonly<Record<'time' | (typeof VARIABLES)[number], readonly unknown[]>>;

/** @throws InvalidInput when the answer is not as documented */
function hourly({ name }: FetchedFile, text: string): Hourly {
  const { hourly: found } = JSON.parse(text) as { hourly?: Partial<Hourly> };
  const count = found?.time?.length ?? 0;
  const faulty = VARIABLES.find((one) => found?.[one]?.length !== count);
  if (found === undefined || count === 0 || faulty !== undefined)
    throw new InvalidInput(`${name}: expected hourly time and ${VARIABLES.join(', ')} of one length`);
  return found as Hourly;
}

/** A line a day: the weather at noon, local standard time by the longitude, and the rain of the 24 hours before. */
function noonTable(found: Hourly, lng: number): string {
  const noon = 12 - Math.round(lng / 15);
  const lines = ['date,temp,rh,ws,prec'];
  const number = (value: unknown): number => (typeof value === 'number' ? value : Number.NaN);
  for (const [i, time] of found.time.entries()) {
    if (typeof time !== 'string' || Number(time.slice(11, 13)) !== noon || i < 23) continue;
    const rain = found.precipitation
      .slice(i - 23, i + 1)
      .map(number)
      .filter(Number.isFinite);
    const sum =
      rain.length >= LEAST_RAIN_HOURS ? rain.reduce((a, b) => a + b, 0) * (24 / rain.length) : Number.NaN;
    const values = [...VARIABLES.slice(0, 3).map((one) => number(found[one][i])), sum];
    lines.push([time.slice(0, 10), ...values.map((v) => (Number.isNaN(v) ? 'NA' : String(v)))].join());
  }
  return `${lines.join('\n')}\n`;
}
