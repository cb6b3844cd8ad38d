import { type QueryValue, Transport } from '../../client/transport.ts';
import { type CliContext, type Command, type Given, moment, number, required, text } from '../command.ts';
import { readCsvRows } from '../../formats/csv/rows.ts';
import { parquetJoiner } from '../../formats/parquet/joined-parquet.ts';
import { type OutFormat, outFormat, writeNew } from './out-file.ts';
import { AREA, areaId, clientOptions, service } from './service-call.ts';

const SINCE = { value: 'TIME', meaning: 'detected at or after', fallback: 'any time' };
const OUT = { value: 'FILE', meaning: 'file to write; it must not exist', required: true };
const FORMAT = { value: 'csv|geojson|parquet', meaning: 'format', fallback: 'that of the name of the file' };

export const exportAreasCommand: Command = {
  name: 'export areas',
  summary:
    'Write the areas of interest to a CSV, GeoJSON or Parquet file, over the API (groundwatch login first)',
  options: { out: OUT, format: FORMAT },
  run: (context, given) => exportList(context, given, '/v1/aois', {}),
};

export const exportChangesCommand: Command = {
  name: 'export changes',
  summary:
    'Write the changes of an area to a CSV, GeoJSON or Parquet file, over the API (groundwatch login first)',
  options: {
    area: AREA,
    since: SINCE,
    status: { value: 'confirmed|suspected|...|all', meaning: 'state of the change', fallback: 'confirmed' },
    out: OUT,
    format: FORMAT,
  },
  async run(context, given) {
    outFormat(given, SHAPES); // refused before the service is asked anything
    const aoi_id = await areaId(await service(context), required(given, 'area'));
    await exportList(context, given, '/v1/changes', {
      aoi_id,
      since: dateOf(given, 'since'),
      status: text(given, 'status'),
    });
  },
};

export const exportAnomaliesCommand: Command = {
  name: 'export anomalies',
  summary:
    'Write the anomalies of the account to a CSV, GeoJSON or Parquet file, over the API (groundwatch login first)',
  options: { since: SINCE, out: OUT, format: FORMAT },
  run: (context, given) => exportList(context, given, '/v1/anomalies', { since: dateOf(given, 'since') }),
};

export const exportIncidentsCommand: Command = {
  name: 'export incidents',
  summary:
    'Write the incidents of the account to a CSV, GeoJSON or Parquet file, over the API (groundwatch login first)',
  options: { since: { ...SINCE, meaning: 'began at or after' }, out: OUT, format: FORMAT },
  run: (context, given) => exportList(context, given, '/v1/incidents', { since: dateOf(given, 'since') }),
};

export const exportSeriesCommand: Command = {
  name: 'export series',
  summary:
    'Write the observations at a place to a CSV or Parquet file, over the API (groundwatch login first)',
  options: {
    lat: { value: 'DEGREES', meaning: 'latitude', required: true },
    lng: { value: 'DEGREES', meaning: 'longitude', required: true },
    metric: { value: 'KEY', meaning: 'metric, such as ndvi', required: true },
    from: { value: 'TIME', meaning: 'first moment', fallback: 'all there is' },
    to: { value: 'TIME', meaning: 'end, a day being included whole', fallback: 'now' },
    out: OUT,
    format: { ...FORMAT, value: 'csv|parquet' },
  },
  run: (context, given) =>
    exportList(
      context,
      given,
      '/v1/historical',
      {
        lat: number(given, 'lat'),
        lng: number(given, 'lng'),
        metric: required(given, 'metric'),
        from: text(given, 'from'),
        to: text(given, 'to'),
      },
      TABLES,
    ),
};

function dateOf(given: Given, name: string): Date | undefined {
  const ms = moment(given, name);
  return ms === undefined ? undefined : new Date(ms);
}

/** Formats of a list with geometries, and of one without. */
const SHAPES = ['csv', 'geojson', 'parquet'] as const;
const TABLES = ['csv', 'parquet'] as const;

/**
 * Writes every page of a list to a new file, as the service gives it. The pages are joined: one header of a CSV, one
 * FeatureCollection. What was written of a list that failed is removed.
 */
async function exportList(
  context: CliContext,
  given: Given,
  path: string,
  query: Readonly<Record<string, QueryValue>>,
  formats: readonly OutFormat[] = SHAPES,
): Promise<void> {
  const [out, format] = [required(given, 'out'), outFormat(given, formats)];
  const transport = new Transport(await clientOptions(context));
  let items = 0;
  await writeNew(out, async (file) => {
    const join =
      format === 'csv' ? joinedCsv() : format === 'geojson' ? joinedGeoJson() : await joinedParquet();
    for await (const page of pagesOf(transport, path, { ...query, f: format })) {
      const { bytes, count } = join.add(page);
      items += count;
      await file.writeFile(bytes);
    }
    await file.writeFile(join.end());
  });
  context.print({ file: out, format, items }, `${items} written to ${out}`);
}

/** The pages of a list. The header `Link` of each names the next. */
async function* pagesOf(
  transport: Transport,
  path: string,
  query: Readonly<Record<string, QueryValue>>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let cursor: string | undefined;
  do {
    let link: string | null = null;
    const page = (await transport.send({
      method: 'GET',
      path,
      query: { ...query, cursor },
      replayable: true,
      accept: '*/*', // `f` decides; bytes are returned as they are
      onHeaders: (headers) => (link = headers.get('link')),
    })) as Uint8Array;
    yield page;
    cursor = nextCursor(link);
  } while (cursor !== undefined);
}

function nextCursor(link: string | null): string | undefined {
  const next = /<([^>]+)>;\s*rel="next"/.exec(link ?? '')?.[1];
  return next === undefined
    ? undefined
    : (new URL(next, 'https://any').searchParams.get('cursor') ?? undefined);
}

interface Joined {
  /** What a page adds to the file, and how many items it has. */
  add(page: Uint8Array): { readonly bytes: string | Uint8Array; readonly count: number };
  end(): string | Uint8Array;
}

function joinedCsv(): Joined {
  let isFirst = true;
  return {
    add(bytes) {
      const page = new TextDecoder().decode(bytes);
      const rows = page.slice(page.indexOf('\n') + 1);
      const text = isFirst ? page : rows;
      isFirst = false;
      return { bytes: text, count: [...readCsvRows(rows)].length };
    },
    end: () => '',
  };
}

function joinedGeoJson(): Joined {
  let isFirst = true;
  return {
    add(page) {
      const { features } = JSON.parse(new TextDecoder().decode(page)) as {
        readonly features: readonly unknown[];
      };
      const lines = features.map((feature) => JSON.stringify(feature)).join(',\n');
      const before = isFirst ? '{"type":"FeatureCollection","features":[\n' : lines === '' ? '' : ',\n';
      isFirst = false;
      return { bytes: before + lines, count: features.length };
    },
    end: () => '\n]}\n',
  };
}

async function joinedParquet(): Promise<Joined> {
  const joiner = await parquetJoiner();
  return {
    add(page) {
      const { bytes, rows } = joiner.add(page);
      return { bytes, count: rows };
    },
    end: () => joiner.end(),
  };
}
