import { readFile } from 'node:fs/promises';
import { InvalidInput } from '../base/errors.ts';
import { repeatedMember } from '../base/repeated-member.ts';
import { decodedText } from '../formats/csv/encoding.ts';
import { createAoi } from '../app/areas/manage-aois.ts';
import { accountId } from './account-option.ts';
import { ENVIRONMENT, environment, required, table, text, type Command } from './command.ts';

/** Maximum number of areas of an account that are read. */
const MOST_LISTED = 10_000;

const ACCOUNT = { value: 'NAME', meaning: 'account it belongs to', required: true };

export const createAoiCommand: Command = {
  name: 'aois create',
  summary: 'Create an area of interest from a GeoJSON file',
  audited: true,
  options: {
    account: ACCOUNT,
    environment: ENVIRONMENT,
    name: { value: 'NAME', meaning: 'name of the area', required: true },
    file: { value: 'AOI.geojson', meaning: 'Polygon, MultiPolygon, or a Feature of one', required: true },
  },
  async run(context, given) {
    const file = required(given, 'file');
    const geometry = geometryOf(await readJson(file), file);
    const { storage } = await context.open();
    const owner = {
      accountId: await accountId(storage, required(given, 'account')),
      environment: environment(given),
    };
    const { items: before } = await storage.aois.list(owner, { limit: MOST_LISTED, after: undefined });
    const aoi = await storage.transaction((stores) =>
      createAoi(stores, owner, { name: required(given, 'name'), geometry }),
    );
    const namesakes = before.filter(({ name }) => name === aoi.name);
    context.print(
      { id: aoi.id, name: aoi.name, area_m2: aoi.areaM2 },
      `Area ${aoi.name} made: ${aoi.id} (${(aoi.areaM2 / 1e6).toFixed(3)} km2)`,
    );
    if (namesakes.length > 0)
      context.note(
        `Names need not be unique: ${namesakes
          .map(({ id }) => id)
          .slice(0, 3)
          .join(
            ', ',
          )}${namesakes.length > 3 ? ` and ${namesakes.length - 3} more` : ''} ${namesakes.length === 1 ? 'has' : 'have'} the same name.`,
      );
  },
};

export const listAoisCommand: Command = {
  name: 'aois list',
  isLight: true,
  summary: 'List areas of interest',
  options: { account: { value: 'NAME', meaning: 'only those of one account' } },
  async run(context, given) {
    const { storage } = await context.open();
    const only = text(given, 'account');
    const rows = [];
    for (const account of await storage.accounts.list()) {
      if (only !== undefined && account.name !== only) continue;
      for (const environment of ['sandbox', 'staging', 'production'] as const) {
        const { items } = await storage.aois.list(
          { accountId: account.id, environment },
          { limit: MOST_LISTED, after: undefined },
        );
        for (const aoi of items)
          rows.push({ id: aoi.id, account: account.name, environment, name: aoi.name, area_m2: aoi.areaM2 });
      }
    }
    context.print(
      { aois: rows },
      table(
        ['ID', 'ACCOUNT', 'ENVIRONMENT', 'KM2', 'NAME'],
        rows.map((row) => [row.id, row.account, row.environment, (row.area_m2 / 1e6).toFixed(3), row.name]),
      ),
    );
  },
};

async function readJson(file: string): Promise<unknown> {
  try {
    const text = decodedText(await readFile(file));
    const json = JSON.parse(text) as unknown;
    const repeated = repeatedMember(text);
    if (repeated !== undefined) throw new Error(`${repeated} comes twice in the same object`);
    return json;
  } catch (error) {
    throw new InvalidInput(
      `${file}: expected a GeoJSON file (aois import reads other formats): ${(error as Error).message}`,
      { cause: error },
    );
  }
}

/** Returns the geometry from a file's JSON: a geometry, a Feature, or a FeatureCollection with one feature. */
function geometryOf(json: unknown, file: string): unknown {
  const { type, geometry, features, crs } = (json ?? {}) as {
    type?: unknown;
    geometry?: unknown;
    features?: unknown;
    crs?: { readonly properties?: { readonly name?: unknown } } | null;
  };
  const system = crs?.properties?.name;
  if (typeof system === 'string' && !/(?:CRS84|EPSG:+(?:[\d.]*:)?4326)$/i.test(system))
    throw new InvalidInput(
      `${file}: expected degrees of WGS 84, got the reference system ${system}: aois import converts it`,
    );
  if (type === 'Feature') return geometry;
  if (type !== 'FeatureCollection') return json;
  if (!Array.isArray(features) || features.length !== 1)
    throw new InvalidInput(
      `${file}: expected one feature, got ${Array.isArray(features) ? features.length : 'none'}` +
        (Array.isArray(features) && features.length > 1 ? ': aois import makes an area of each' : ''),
    );
  return (features[0] as { geometry?: unknown } | null)?.geometry;
}
