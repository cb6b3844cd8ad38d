/**
 * CPU time to compute the climate of fire danger over a grid: seasons, codes, overwintering, worst weeks and means of
 * cell-days generated in memory. Compared with the functions of the index system on the same days, one place at a
 * time. These store nothing, so their time is the lower bound. Budget: 2 s per million cell-days.
 */
import { DangerField } from '../src/risk/wildfire/fire-weather/danger-field.ts';
import { DangerRecord } from '../src/risk/wildfire/fire-weather/danger-record.ts';
import { WOTTON_FLANNIGAN } from '../src/risk/wildfire/fire-weather/fire-season.ts';
import { SPRING_CODES, type MoistureCodes } from '../src/risk/wildfire/fire-weather/fire-weather.ts';
import { nextFireDanger } from '../src/risk/wildfire/fire-weather/next-fire-danger.ts';

const CELLS = 2500;
const DAYS = 1461; // days in four years
const CEILING_S_PER_MILLION = 2;

const latitudes = Float64Array.from({ length: CELLS }, (_, i) => 35 + (10 * i) / CELLS);
/** Noon weather of a day, slightly different in every cell. */
function weather(day: number) {
  const summer = -Math.cos((2 * Math.PI * day) / 365.25);
  const cells = (base: number, step: number): Float64Array =>
    Float64Array.from({ length: CELLS }, (_, i) => base + step * ((i * 7919) % 100));
  const temperatureC = cells(12 + 15 * summer, 0.05);
  return {
    temperatureC,
    seasonTemperatureC: temperatureC,
    relativeHumidity: cells(55 - 25 * summer, 0.1),
    windKmh: cells(8 + (day % 7), 0.1),
    rainMm: cells(day % 6 === 0 ? 5 : 0, 0),
  };
}

const days = Array.from({ length: DAYS }, (_, day) => {
  const date = new Date(Date.UTC(2020, 0, 1 + day));
  return { ...weather(day), year: date.getUTCFullYear(), month: date.getUTCMonth() + 1 };
});

function cpuSeconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

const millions = (CELLS * DAYS) / 1e6;
const whole = cpuSeconds(() => {
  const field = new DangerField(latitudes, {
    variant: 'current',
    season: WOTTON_FLANNIGAN,
    overwintering: { carryOver: 0.75, wetting: 0.75 },
  });
  const record = new DangerRecord(latitudes);
  for (const day of days) {
    field.next(day, day.month);
    record.add(field.fwi, field.dsr, day.year, day.month);
  }
  for (let i = 0; i < CELLS; i++) record.worstWeeks(i);
});
let sum = 0;
const floor = cpuSeconds(() => {
  for (let i = 0; i < CELLS; i++) {
    let codes: MoistureCodes = SPRING_CODES;
    for (const { temperatureC, relativeHumidity, windKmh, rainMm, month } of days) {
      const today = nextFireDanger(
        {
          ffmc: codes.ffmc,
          dmc: codes.dmc,
          dc: codes.dc,
        },
        {
          temperatureC: temperatureC[i]!,
          relativeHumidity: relativeHumidity[i]!,
          windKmh: windKmh[i]!,
          rainMm: rainMm[i]!,
        },
        latitudes[i]!,
        month,
      );
      codes = today;
      sum += today.fwi;
    }
  }
});
console.log(
  `${CELLS} cells, ${DAYS} days: ${(whole / millions).toFixed(2)} s a million cell-days; the index system alone, never out of ` +
    `season, ${(floor / millions).toFixed(2)} s; ${(whole / floor).toFixed(2)}x (mean index ${(sum / CELLS / DAYS).toFixed(1)})`,
);
if (whole / millions > CEILING_S_PER_MILLION) {
  console.log(`over the ceiling of ${CEILING_S_PER_MILLION} s a million cell-days`);
  process.exitCode = 1;
}
