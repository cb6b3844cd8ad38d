import { InvalidInput } from '../../base/errors.ts';
import type { Groundwatch } from '../../client/groundwatch.ts';
import { PERILS } from '../../contract/vocabulary.ts';
import { BATCH_LOCATIONS } from '../../contract/limits.ts';
import { CsvTable, readText } from '../../formats/csv/table.ts';
import { type Command, type Given, Misuse, number, table, text } from '../command.ts';
import { service } from './service-call.ts';

type BatchResult = Awaited<ReturnType<Groundwatch['assessRiskBatch']>>['results'][number];
type Peril = (typeof PERILS)[number];

interface Place {
  readonly name: string;
  readonly lat: number;
  readonly lng: number;
}

export const riskCommand: Command = {
  name: 'risk',
  summary: 'Assess a place, or each place of a CSV file, over the API (groundwatch login first)',
  options: {
    lat: { value: 'DEGREES', meaning: 'latitude' },
    lng: { value: 'DEGREES', meaning: 'longitude' },
    file: {
      value: 'PLACES.csv',
      meaning: 'file with the columns lat and lng, and name or id if there is one',
    },
    peril: { value: PERILS.join('|'), meaning: 'one peril', fallback: 'all of them' },
  },
  async run(context, given) {
    const perils = perilsOf(given);
    const places = await placesOf(given);
    const groundwatch = await service(context);
    const locations = places.flatMap(({ lat, lng }) => perils.map((peril) => ({ lat, lng, peril })));
    const results: BatchResult[] = [];
    for (let from = 0; from < locations.length; from += BATCH_LOCATIONS) {
      const part = locations.slice(from, from + BATCH_LOCATIONS);
      results.push(...(await groundwatch.assessRiskBatch({ locations: part }, { explain: true })).results);
      if (locations.length > BATCH_LOCATIONS)
        context.note(`${Math.min(from + BATCH_LOCATIONS, locations.length)} of ${locations.length} assessed`);
    }
    const answers = locations.map((location, i) => {
      const { risk_score, confidence, explain } = results[i]!;
      return {
        name: places[Math.floor(i / perils.length)]!.name,
        ...location,
        risk_score,
        confidence,
        score_range: explain!.score_range,
        evidence: explain!.evidence.class,
      };
    });
    context.print(
      { results: answers },
      table(
        ['PLACE', 'PERIL', 'SCORE', 'RANGE', 'CONFIDENCE', 'RESTS ON'],
        answers.map(({ name, peril, risk_score, confidence, score_range: { low, high }, evidence }) => [
          name,
          peril,
          risk_score.toFixed(2),
          `${low.toFixed(2)} to ${high.toFixed(2)}`,
          confidence.toFixed(2),
          evidence === 'none' ? 'no data' : evidence,
        ]),
      ),
    );
  },
};

function perilsOf(given: Given): readonly Peril[] {
  const peril = text(given, 'peril');
  if (peril === undefined) return PERILS;
  const found = PERILS.find((known) => known === peril);
  if (found === undefined) throw new Misuse(`--peril: expected one of ${PERILS.join(', ')}, got ${peril}`);
  return [found];
}

async function placesOf(given: Given): Promise<readonly Place[]> {
  const [lat, lng, file] = [number(given, 'lat'), number(given, 'lng'), text(given, 'file')];
  if (file === undefined) {
    if (lat === undefined || lng === undefined) throw new Misuse('give --lat and --lng, or --file');
    return [{ name: `${lat} ${lng}`, lat, lng }];
  }
  if (lat !== undefined || lng !== undefined) throw new Misuse('give --lat and --lng, or --file, not both');
  const csv = new CsvTable(await readText(file), file, {
    lat: ['lat', 'latitude', 'y'],
    lng: ['lng', 'lon', 'longitude', 'x'],
    name: ['name', 'id'],
  });
  const [latColumn, lngColumn, nameColumn] = [csv.demand('lat'), csv.demand('lng'), csv.find('name')];
  return csv.rows.map((row) => {
    const degrees = (column: string, most: number): number => {
      const said = csv.text(row, column);
      const value = Number(said);
      if (said === '' || !(Math.abs(value) <= most))
        throw new InvalidInput(
          `${file}, line ${row.line}: ${column}: expected degrees from -${most} to ${most}, got ${said}`,
        );
      return value;
    };
    const place = { lat: degrees(latColumn, 90), lng: degrees(lngColumn, 180) };
    return { name: csv.text(row, nameColumn) || `${place.lat} ${place.lng}`, ...place };
  });
}
