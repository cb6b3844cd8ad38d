import { InvalidInput } from '../../base/errors.ts';
import type { ObservationRules } from './observation-rules.ts';
import type { PointFile } from './points-reader.ts';
import { futureText } from '../series/future-time.ts';
import { type Conflict, type OrderedSeries, SeriesBuffer } from './series-buffer.ts';

/** Maximum numbers of observations that an ingest keeps in memory. */
export interface IngestLimits {
  /** Maximum number of observations that are sorted in memory; a longer file must already be in order of time. */
  readonly sorted: number;
  /** Maximum number of observations written in one transaction, unless a single station has more. */
  readonly written: number;
}

/**
 * First pass: reads the whole file and checks every observation.
 * @param latestMs latest time that an observation can have [ms since the Unix epoch]
 * @returns the observations, sorted by time; `series` is undefined when there are too many for memory
 * @throws InvalidInput that states the line and column of the value that cannot be used
 */
export async function checkPoints(
  file: PointFile,
  rules: ObservationRules,
  { sorted }: IngestLimits,
  latestMs: number,
): Promise<{ readonly count: number; readonly series: readonly OrderedSeries[] | undefined }> {
  const buffer = new SeriesBuffer();
  const [lastMs, lastValues, lastLines]: [number[], number[], number[]] = [[], [], []];
  let disorder: { readonly line: number; readonly station: number } | undefined;
  let count = 0;
  const keyOf = (station: number): string => file.stations[station]!.key;
  const refuse = ({ station, timeMs, lines, values }: Conflict): never => {
    throw new InvalidInput(
      `${placeOf(file, lines[1])}: station ${keyOf(station)} has ${values[1]} at ${new Date(timeMs).toISOString()}, ` +
        `and ${values[0]} in ${file.counted ?? 'line'} ${lines[0]}: one value expected. A correction comes as an ingest of its own`,
      { param: 'file' },
    );
  };
  for await (const batch of file.batches()) {
    for (let i = 0; i < batch.count; i++) {
      const [station, timeMs, line] = [batch.stations[i]!, batch.timesMs[i]!, batch.lines[i]!];
      const value = rules.read(batch.values[i]!, () => `${placeOf(file, line)}${columnText(file, station)}`);
      if (Number.isNaN(value)) continue;
      if (timeMs > latestMs)
        throw new InvalidInput(
          `${placeOf(file, line)}: station ${keyOf(station)} has a value ${futureText(timeMs, latestMs)}`,
          { param: 'file' },
        );
      const before = lastMs[station] ?? -Infinity;
      if (timeMs < before) disorder ??= { line, station };
      if (timeMs === before) {
        if (value !== lastValues[station]!)
          refuse({
            station,
            timeMs,
            lines: [lastLines[station]!, line],
            values: [lastValues[station]!, value],
          });
        continue;
      }
      lastMs[station] = timeMs;
      lastValues[station] = value;
      lastLines[station] = line;
      count++;
      if (count < sorted) buffer.add(station, timeMs, value, line);
      else buffer.clear();
    }
    if (count >= sorted && disorder !== undefined)
      throw new InvalidInput(
        `${placeOf(file, disorder.line)}: station ${keyOf(disorder.station)} goes back in time; ` +
          `a file of more than ${sorted} observations has to be in the order of time: sort it first`,
        { param: 'file' },
      );
  }
  if (count >= sorted) return { count, series: undefined };
  const series = [...buffer.take(refuse)];
  return { count: series.reduce((sum, { timesMs }) => sum + timesMs.length, 0), series };
}

function placeOf({ name, counted }: PointFile, line: number): string {
  return `${name}, ${counted ?? 'line'} ${line}`;
}

function columnText(file: PointFile, station: number): string {
  return `, column ${file.column ?? file.stations[station]!.key}`;
}

/**
 * Second pass over a long file, which the first pass found to be in order: reads the file again and writes it in parts.
 * @param holdLast whether the last observation of each station is kept for the next part. Needed for rain, because
 * quality control compares an observation with the next one
 */
export async function rereadPoints(
  file: PointFile,
  rules: ObservationRules,
  { written }: IngestLimits,
  holdLast: boolean,
  write: (series: readonly OrderedSeries[]) => Promise<void>,
): Promise<void> {
  rules.reset();
  const buffer = new SeriesBuffer();
  const never = (): void => undefined;
  for await (const batch of file.batches()) {
    for (let i = 0; i < batch.count; i++) {
      const value = rules.read(batch.values[i]!, () => placeOf(file, batch.lines[i]!));
      if (!Number.isNaN(value)) buffer.add(batch.stations[i]!, batch.timesMs[i]!, value, batch.lines[i]!);
    }
    if (buffer.total < written) continue;
    const series = [...buffer.take(never)];
    // The last observation of each station is kept, and is checked together with the next part.
    if (!holdLast) await write(series);
    else {
      for (const { station, timesMs, values } of series)
        buffer.add(station, timesMs.at(-1)!, values.at(-1)!, 0);
      await write(
        series.map((one) => ({ ...one, timesMs: one.timesMs.slice(0, -1), values: one.values.slice(0, -1) })),
      );
    }
  }
  await write([...buffer.take(never)]);
}
