import { buildupIndex } from './buildup-index.ts';
import { droughtCode } from './drought-code.ts';
import { duffMoistureCode } from './duff-moisture-code.ts';
import { fineFuelMoistureCode } from './fine-fuel-moisture-code.ts';
import { dailySeverityRating, fireWeatherIndex } from './fire-weather-index.ts';
import type { FireDanger, FireWeather, MoistureCodes } from './fire-weather.ts';
import type { FwiVariant } from './fwi-variant.ts';
import { initialSpreadIndex } from './initial-spread-index.ts';

/**
 * Computes one day of the Canadian Fire Weather Index System: the codes and indices of today from the codes of
 * yesterday and the noon weather of today. Pass the result as `codes` for the next day; start a season with
 * `SPRING_CODES`.
 * @param latitude decimal degrees, for the length of the day
 * @param month 1 to 12
 * @throws RangeError on impossible weather, codes, latitude or month
 * @see Van Wagner & Pickett 1985, FTR 33; Van Wagner 1987, FTR 35
 */
export function nextFireDanger(
  codes: MoistureCodes,
  weather: FireWeather,
  latitude: number,
  month: number,
  variant: FwiVariant = 'current',
): FireDanger {
  check('ffmc', codes.ffmc, 0, 101);
  check('dmc', codes.dmc, 0, Infinity);
  check('dc', codes.dc, 0, Infinity);
  check('temperatureC', weather.temperatureC, -90, 70);
  check('relativeHumidity', weather.relativeHumidity, 0, 100);
  check('windKmh', weather.windKmh, 0, 500);
  check('rainMm', weather.rainMm, 0, 3000);
  check('latitude', latitude, -90, 90);
  const ffmc = fineFuelMoistureCode(codes.ffmc, weather, variant);
  const dmc = duffMoistureCode(codes.dmc, weather, latitude, month, variant);
  const dc = droughtCode(codes.dc, weather, latitude, month);
  const isi = initialSpreadIndex(ffmc, weather.windKmh, variant);
  const bui = buildupIndex(dmc, dc);
  const fwi = fireWeatherIndex(isi, bui);
  return { ffmc, dmc, dc, isi, bui, fwi, dsr: dailySeverityRating(fwi) };
}

function check(name: string, value: number, low: number, high: number): void {
  if (!(value >= low && value <= high && Number.isFinite(value)))
    throw new RangeError(`${name} ${value}, expected within [${low}, ${high}]`);
}
