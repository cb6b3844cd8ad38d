import type { Provenance } from '../../src/client/index.ts';

/**
 * Observations of the seed pixel since the first departure, one array for each field. A value is null if its step of
 * the evidence lacks the field.
 */
export interface EvidenceColumns {
  /** Seconds since the Unix epoch, the unit that the chart needs. */
  readonly time: readonly number[];
  readonly value: readonly (number | null)[];
  readonly expected: readonly (number | null)[];
  readonly posterior: readonly (number | null)[];
}

/** Reads the fields for the chart from the steps of a change's evidence. Steps may contain other fields too. */
export function evidenceColumns(evidence: Provenance['evidence']): EvidenceColumns {
  const steps = evidence
    .map((step) => step as Readonly<Record<string, unknown>>)
    .map((step) => ({
      time: timeOf(step),
      value: numberOf(step['value']),
      expected: numberOf(step['expected']),
      posterior: numberOf(step['posterior']),
    }))
    .filter(({ time }) => !Number.isNaN(time))
    .toSorted((a, b) => a.time - b.time);
  return {
    time: steps.map(({ time }) => time),
    value: steps.map(({ value }) => value),
    expected: steps.map(({ expected }) => expected),
    posterior: steps.map(({ posterior }) => posterior),
  };
}

function timeOf(step: Readonly<Record<string, unknown>>): number {
  const text = step['datetime'] ?? step['date'] ?? step['t'];
  return typeof text === 'string' ? Date.parse(text) / 1000 : Number.NaN;
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
