import type { Selectable } from 'kysely';
import type { StationSeriesTable } from './tables/station-tables.ts';
import { unpacked, unpackedTimes } from './series-chunks.ts';

/**
 * Describes the first damage found in the observations of a station; undefined when there is no damage.
 * @param rows rows with observations, in order of time
 * @param observations expected number of observations, from the row of the station
 */
export function stationDamage(
  rows: readonly Selectable<StationSeriesTable>[],
  observations: number,
): string | undefined {
  let [before, count] = [-Infinity, 0];
  for (const row of rows) {
    const at = `the row from ${new Date(row.first_ms).toISOString()}`;
    const bytes = `${at} has ${row.times.length} bytes of times and ${row.values.length} of values`;
    if (row.times.length === 0 || row.times.length % 8 !== 0 || row.values.length % 8 !== 0) return bytes;
    const timesMs = unpackedTimes(row.times, row.values.length / 8);
    if (timesMs.length !== row.values.length / 8) return bytes;
    if (timesMs[0] !== row.first_ms || timesMs.at(-1) !== row.last_ms)
      return `${at} contains other times than its first_ms and last_ms`;
    for (const ms of timesMs) {
      if (!(ms > before)) return `times of ${at} do not ascend`;
      before = ms;
    }
    if (!unpacked(row.values).every(Number.isFinite))
      return `${at} contains a value that is not a finite number`;
    count += timesMs.length;
  }
  return count === observations ? undefined : `${count} observations are there of ${observations}`;
}
