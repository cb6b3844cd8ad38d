import type { Column } from '../../contract/fields.ts';
import type { Peril } from '../../contract/vocabulary.ts';
import type { Place, PlacesFile } from './places-file.ts';

/** What was found for one place and peril. */
export interface PlaceRisk {
  readonly place: Place;
  readonly peril: Peril;
  readonly risk_score: number;
  readonly confidence: number;
  readonly score_range: { readonly low: number; readonly high: number };
  /** Class of the evidence; `none`: there is no data. */
  readonly evidence: string;
}

/** Columns of the results in a file, after those of the places. */
const RESULTS: readonly Column[] = [
  { name: 'peril', kind: 'text' },
  { name: 'risk_score', kind: 'number' },
  { name: 'confidence', kind: 'number' },
  { name: 'score_low', kind: 'number' },
  { name: 'score_high', kind: 'number' },
  { name: 'evidence', kind: 'text' },
];

/** A table to write. */
export interface RiskTable {
  readonly columns: readonly Column[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/**
 * The results as a table: all columns of the file of places, then those of the results. A column is one of numbers only
 * if each text in it is the plain form of a number, so that a policy 00123 stays a text.
 */
export function riskTable(
  { titles, latTitle, lngTitle, places }: Pick<PlacesFile, 'titles' | 'latTitle' | 'lngTitle' | 'places'>,
  answers: readonly PlaceRisk[],
): RiskTable {
  const names = keptNames(titles);
  const kept = titles.map((title, i): Column & { readonly of: (place: Place) => unknown } => {
    const name = names[i]!;
    if (title === latTitle) return { name, kind: 'number', of: ({ lat }) => lat };
    if (title === lngTitle) return { name, kind: 'number', of: ({ lng }) => lng };
    const isNumber = places.every(
      ({ fields }) => fields[i] === '' || String(Number(fields[i])) === fields[i],
    );
    return isNumber
      ? { name, kind: 'number', of: ({ fields }) => (fields[i] === '' ? null : Number(fields[i])) }
      : { name, kind: 'text', of: ({ fields }) => fields[i] || null };
  });
  return {
    columns: [...kept.map(({ name, kind }) => ({ name, kind })), ...RESULTS],
    rows: answers.map(({ place, peril, risk_score, confidence, score_range: { low, high }, evidence }) => ({
      ...Object.fromEntries(kept.map(({ name, of }) => [name, of(place)])),
      peril,
      risk_score,
      confidence,
      score_low: low,
      score_high: high,
      evidence,
    })),
  };
}

/** Names of the kept columns: their titles, each once, and none that of a result. */
function keptNames(titles: readonly string[]): readonly string[] {
  const taken = new Set(RESULTS.map(({ name }) => name));
  return titles.map((title, i) => {
    const plain = title === '' ? `column_${i + 1}` : taken.has(title) ? `input_${title}` : title;
    let name = plain;
    for (let n = 2; taken.has(name); n++) name = `${plain}_${n}`;
    taken.add(name);
    return name;
  });
}
