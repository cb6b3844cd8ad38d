import type { Provenance } from '../../src/client/index.ts';
import { evidenceColumns } from './evidence.ts';

/** Width of the band of what is expected [standard deviations]: 99 of 100 undisturbed observations lie within it. */
const BAND_SIGMAS = 2.576;
const JULIAN_YEAR_S = 365.25 * 86_400;

/**
 * The record of the pixel that departed first, an array for each column. `expected`, `low` and `high` are null where
 * the provenance does not tell what was expected.
 */
export interface ChangeRecordColumns {
  /** Seconds since the Unix epoch, ascending. */
  readonly time: readonly number[];
  readonly value: readonly (number | null)[];
  readonly expected: readonly (number | null)[];
  readonly low: readonly (number | null)[];
  readonly high: readonly (number | null)[];
  /** Values of the scenes that the monitor used; null for others. */
  readonly used: readonly (number | null)[];
}

/**
 * Joins all observations of a pixel with the provenance of a change that it belongs to. Since the first departure the
 * evidence says what was expected; before, the seasonal baseline does.
 * @param series its observations; of a day without evidence the first is taken
 */
export function changeRecord(
  series: readonly { readonly t: string; readonly v: number }[],
  { evidence, baseline, scenes }: Pick<Provenance, 'evidence' | 'baseline' | 'scenes'>,
): ChangeRecordColumns {
  const { time, value, expected } = evidenceColumns(evidence);
  const { kind, scale, coefficients, from, to } = baseline as Readonly<Record<string, unknown>>;
  const band = typeof scale === 'number' ? BAND_SIGMAS * scale : undefined;
  const season =
    kind === 'harmonic' && Array.isArray(coefficients) && typeof from === 'string'
      ? { coefficients: coefficients as number[], fromS: Date.parse(from) / 1000 }
      : undefined;
  const steps = new Map(time.map((seconds, i) => [dayOf(seconds), i]));
  const usedDays = new Set(scenes.map(({ datetime }) => dayOf(Date.parse(datetime) / 1000)));
  const rows = new Map<string, { time: number; value: number | null; expected: number | null }>();
  for (const { t, v } of series) {
    const seconds = Date.parse(t) / 1000;
    if (rows.has(dayOf(seconds))) continue;
    const isBefore = seconds < (time[0] ?? Infinity);
    const usual =
      season !== undefined && isBefore ? seasonal(season.coefficients, season.fromS, seconds) : null;
    rows.set(dayOf(seconds), { time: seconds, value: v, expected: usual });
  }
  for (const [day, i] of steps)
    rows.set(day, {
      time: rows.get(day)?.time ?? time[i]!,
      value: value[i] ?? rows.get(day)?.value ?? null,
      expected: expected[i] ?? null,
    });
  const all = [...rows.values()].toSorted((a, b) => a.time - b.time);
  const around = (sign: number) =>
    all.map((row) => (row.expected === null || band === undefined ? null : row.expected + sign * band));
  const until = typeof to === 'string' ? Date.parse(to) / 1000 : -Infinity;
  return {
    time: all.map((row) => row.time),
    value: all.map((row) => row.value),
    expected: all.map((row) => row.expected),
    low: around(-1),
    high: around(1),
    used: all.map((row) =>
      usedDays.has(dayOf(row.time)) || (steps.has(dayOf(row.time)) && row.time > until) ? row.value : null,
    ),
  };
}

/**
 * Value of a seasonal baseline: intercept, trend per year since its begin, then cosine and sine of each harmonic of a
 * Julian year, whose phase is counted from the Unix epoch. @see docs/methods/change.md
 */
function seasonal(coefficients: readonly number[], fromS: number, seconds: number): number {
  const phase = (2 * Math.PI * seconds) / JULIAN_YEAR_S;
  let sum = (coefficients[0] ?? 0) + ((coefficients[1] ?? 0) * (seconds - fromS)) / JULIAN_YEAR_S;
  for (let i = 2; i + 1 < coefficients.length; i += 2)
    sum += coefficients[i]! * Math.cos((i / 2) * phase) + coefficients[i + 1]! * Math.sin((i / 2) * phase);
  return sum;
}

const dayOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);
