import { basename } from 'node:path';
import { importAreas } from '../app/areas/import-areas.ts';
import { accountId } from './account-option.ts';
import { type Command, ENVIRONMENT, environment, Incomplete, Misuse, required, text } from './command.ts';
import { progressNotes } from './progress.ts';

const MAX_NAMED = 10; // maximum number of faulty areas that the text names; `--json` names all

export const importAoisCommand: Command = {
  name: 'aois import',
  summary:
    'Create areas of interest from a file: GeoJSON, KML, KMZ, GeoPackage, shapefile (.shp or .zip), FlatGeobuf or GeoParquet',
  audited: true,
  operands: ['FILE'],
  options: {
    account: { value: 'NAME', meaning: 'account they belong to', required: true },
    environment: ENVIRONMENT,
    layer: {
      value: 'NAME',
      meaning: 'table of a GeoPackage, or shapefile of an archive',
      fallback: 'the only one',
    },
    'name-field': { value: 'NAME', meaning: 'property with the names', fallback: 'name' },
    from: { value: 'N', meaning: 'number of the first area that is created', fallback: '1' },
    'skip-faulty': { meaning: 'leave out areas that cannot be used, name these and exit with 3' },
  },
  async run(context, given) {
    const file = given.operands[0]!;
    const from = Number(text(given, 'from') ?? 1);
    if (!Number.isSafeInteger(from) || from < 1)
      throw new Misuse(`--from: expected the number of an area, from 1, got ${text(given, 'from')}`);
    const { storage, areaFiles, clock } = await context.open();
    const owner = {
      accountId: await accountId(storage, required(given, 'account')),
      environment: environment(given),
    };
    const areas = await areaFiles.readAreas(file, {
      layer: text(given, 'layer'),
      nameField: text(given, 'name-field'),
    });
    const plan = {
      title: basename(file).replace(/\.[^.]+$/, ''),
      from,
      skipsFaulty: given.options['skip-faulty'] === true,
    };
    const progress = progressNotes(context, clock)('areas');
    const { created, faults, droppedHeights } = await importAreas(storage, owner, areas, plan, progress);
    for (const { number, message } of faults.slice(0, MAX_NAMED)) context.note(`area ${number}: ${message}`);
    if (faults.length > MAX_NAMED)
      context.note(`${areasInWords(faults.length - MAX_NAMED, 'more ')} cannot be used`);
    if (droppedHeights > 0) context.note(`heights of ${areasInWords(droppedHeights)} were dropped`);
    const km2 = created.reduce((sum, { areaM2 }) => sum + areaM2, 0) / 1e6;
    context.print(
      {
        aois: created.map(({ id, name, areaM2 }) => ({ id, name, area_m2: areaM2 })),
        faults,
        dropped_heights: droppedHeights,
      },
      `${areasInWords(created.length)} made (${km2.toFixed(3)} km2 in all); ${faults.length} left out`,
    );
    if (faults.length > 0)
      throw new Incomplete(
        `${areasInWords(faults.length)} of ${basename(file)} cannot be used and ${faults.length === 1 ? 'was' : 'were'} left out`,
      );
  },
};

/** A number of areas: `1 area`, `3 more areas`. */
export function areasInWords(count: number, which = ''): string {
  return `${count} ${which}area${count === 1 ? '' : 's'}`;
}
