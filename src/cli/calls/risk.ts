import type { Groundwatch } from '../../client/groundwatch.ts';
import { BATCH_LOCATIONS } from '../../contract/limits.ts';
import { type Peril, PERILS } from '../../contract/vocabulary.ts';
import { InvalidInput } from '../../base/errors.ts';
import { csvText } from '../../formats/csv/csv-text.ts';
import { loadParquet, parquetFile } from '../../formats/parquet/parquet-file.ts';
import {
  type CliContext,
  type Command,
  type Given,
  Incomplete,
  Misuse,
  number,
  table,
  text,
} from '../command.ts';
import { outFormat, writeNew } from './out-file.ts';
import { badLines, type PlacesFile, readPlaces } from './places-file.ts';
import { type PlaceRisk, riskTable } from './risk-table.ts';
import { service } from './service-call.ts';
import { seemSwapped } from './swapped-places.ts';

/** Formats of `--out`. */
const FORMATS = ['csv', 'parquet'] as const;

export const riskCommand: Command = {
  name: 'risk',
  summary: 'Assess a place, or each place of a CSV file, over the API (groundwatch login first)',
  options: {
    lat: { value: 'DEGREES', meaning: 'latitude' },
    lng: { value: 'DEGREES', meaning: 'longitude' },
    file: {
      value: 'PLACES.csv',
      meaning:
        'table with the columns lat and lng, as spreadsheets export it; name and id are shown, all columns are kept',
    },
    peril: { value: PERILS.join('|'), meaning: 'one peril', fallback: 'all of them' },
    'skip-bad': {
      meaning: 'assess the other lines when some have no usable place, name these and exit with 3',
    },
    out: {
      value: 'FILE',
      meaning: 'new file .csv or .parquet for the results, beside the columns of the places',
      fallback: 'the results are printed',
    },
  },
  async run(context, given) {
    const format = text(given, 'out') === undefined ? undefined : outFormat(given, FORMATS);
    const perils = perilsOf(given);
    const asked = await placesOf(given);
    const groundwatch = await service(context);
    if (format === undefined) await assessAndPrint(context, groundwatch, asked, perils);
    else await assessInto(context, groundwatch, asked, perils, { out: text(given, 'out')!, format });
    const { bad, places } = asked;
    if (bad.length > 0)
      throw new Incomplete(
        `${bad.length} of ${bad.length + places.length} lines were left out:\n${badLines(bad)}`,
      );
  },
};

async function assessAndPrint(
  context: CliContext,
  groundwatch: Groundwatch,
  asked: Asked,
  perils: readonly Peril[],
): Promise<void> {
  const answers = await assess(context, groundwatch, asked.places, perils);
  const warning = await swapWarning(groundwatch, asked, answers);
  const { titles, isFile, bad } = asked;
  const hasIds = asked.places.some(({ id }) => id !== undefined && id !== '');
  context.print(
    {
      results: answers.map(({ place: { name, id, lat, lng, fields }, ...found }) => ({
        name,
        ...(id !== undefined && { id }),
        lat,
        lng,
        ...found,
        ...(isFile && { columns: Object.fromEntries(titles.map((title, i) => [title, fields[i]])) }),
      })),
      ...(isFile && { skipped: bad }),
      ...(warning !== undefined && { warning }),
    },
    table(
      [...(hasIds ? ['ID'] : []), 'PLACE', 'PERIL', 'SCORE', 'RANGE', 'CONFIDENCE', 'RESTS ON'],
      answers.map(({ place, peril, risk_score, confidence, score_range: { low, high }, evidence }) => [
        ...(hasIds ? [place.id ?? ''] : []),
        place.name,
        peril,
        risk_score.toFixed(2),
        `${low.toFixed(2)} to ${high.toFixed(2)}`,
        confidence.toFixed(2),
        evidence === 'none' ? 'no data' : evidence,
      ]),
    ),
  );
  if (warning !== undefined) context.note(warning);
}

async function assessInto(
  context: CliContext,
  groundwatch: Groundwatch,
  asked: Asked,
  perils: readonly Peril[],
  { out, format }: { readonly out: string; readonly format: (typeof FORMATS)[number] },
): Promise<void> {
  let answers: readonly PlaceRisk[] = [];
  await writeNew(out, async (file) => {
    answers = await assess(context, groundwatch, asked.places, perils);
    const { columns, rows } = riskTable(asked, answers);
    if (format === 'parquet') await loadParquet();
    await file.write(format === 'csv' ? Buffer.from(csvText(columns, rows)) : parquetFile(columns, rows));
  });
  const warning = await swapWarning(groundwatch, asked, answers);
  context.print(
    {
      file: out,
      format,
      items: answers.length,
      skipped: asked.bad,
      ...(warning !== undefined && { warning }),
    },
    `${answers.length} results of ${asked.places.length} places written to ${out}`,
  );
  if (warning !== undefined) context.note(warning);
}

/** Assesses each place for each peril, in this order. */
async function assess(
  context: Pick<CliContext, 'note'>,
  groundwatch: Groundwatch,
  places: Asked['places'],
  perils: readonly Peril[],
): Promise<readonly PlaceRisk[]> {
  const pairs = places.flatMap((place) => perils.map((peril) => ({ place, peril })));
  const answers: PlaceRisk[] = [];
  for (let from = 0; from < pairs.length; from += BATCH_LOCATIONS) {
    const part = pairs.slice(from, from + BATCH_LOCATIONS);
    const locations = part.map(({ place: { lat, lng }, peril }) => ({ lat, lng, peril }));
    const { results } = await groundwatch.assessRiskBatch({ locations }, { explain: true });
    for (const [i, pair] of part.entries()) {
      const { risk_score, confidence, explain } = results[i]!;
      const { score_range, evidence } = explain!;
      answers.push({ ...pair, risk_score, confidence, score_range, evidence: evidence.class });
    }
    if (pairs.length > BATCH_LOCATIONS)
      context.note(`${Math.min(from + BATCH_LOCATIONS, pairs.length)} of ${pairs.length} assessed`);
  }
  return answers;
}

/** A warning when latitude and longitude of a file seem to be swapped; undefined when they do not. */
async function swapWarning(
  groundwatch: Groundwatch,
  { places, isFile, latTitle, lngTitle }: Asked,
  answers: readonly PlaceRisk[],
): Promise<string | undefined> {
  if (!isFile) return undefined;
  const perils = answers.length / places.length;
  const barrenOf = (found: readonly { readonly evidence: string }[], count: number): readonly boolean[] =>
    Array.from({ length: count }, (_, i) =>
      found.slice(i * perils, (i + 1) * perils).every(({ evidence }) => evidence === 'none'),
    );
  const silent = { note: () => undefined };
  const swapped = await seemSwapped(places, barrenOf(answers, places.length), async (others) => {
    const asPlaces = others.map((at) => ({ name: '', fields: [], ...at }));
    const kinds = answers.slice(0, perils).map(({ peril }) => peril);
    return barrenOf(await assess(silent, groundwatch, asPlaces, kinds), others.length);
  });
  return swapped
    ? `nearly all places lie where there is no data, as in the open sea, and would lie on land if ${latTitle} and ${lngTitle} were swapped. Are they? Nothing was swapped.`
    : undefined;
}

function perilsOf(given: Given): readonly Peril[] {
  const peril = text(given, 'peril');
  if (peril === undefined) return PERILS;
  const found = PERILS.find((known) => known === peril);
  if (found === undefined) throw new Misuse(`--peril: expected one of ${PERILS.join(', ')}, got ${peril}`);
  return [found];
}

interface Asked extends PlacesFile {
  /** Whether the places are those of a file. */
  readonly isFile: boolean;
}

/** @throws InvalidInput for a file with bad lines, without `--skip-bad` or when all of them are bad */
async function placesOf(given: Given): Promise<Asked> {
  const [lat, lng, file] = [number(given, 'lat'), number(given, 'lng'), text(given, 'file')];
  if (file === undefined) {
    if (lat === undefined || lng === undefined) throw new Misuse('give --lat and --lng, or --file');
    const place = { name: `${lat} ${lng}`, lat, lng, fields: [String(lat), String(lng)] };
    const titles = { titles: ['lat', 'lng'], latTitle: 'lat', lngTitle: 'lng' };
    return { ...titles, places: [place], bad: [], likeSwapped: false, isFile: false };
  }
  if (lat !== undefined || lng !== undefined) throw new Misuse('give --lat and --lng, or --file, not both');
  const found = await readPlaces(file);
  const { places, bad, latTitle, lngTitle } = found;
  if (bad.length === 0 || (given.options['skip-bad'] === true && places.length > 0))
    return { ...found, isFile: true };
  const hint = found.likeSwapped ? `\nMany would be right if ${latTitle} and ${lngTitle} were swapped.` : '';
  const rest = places.length > 0 ? '\n--skip-bad assesses the others.' : '';
  throw new InvalidInput(
    `${file}: ${bad.length} of ${bad.length + places.length} lines have no usable place:\n${badLines(bad)}${hint}${rest}`,
  );
}
