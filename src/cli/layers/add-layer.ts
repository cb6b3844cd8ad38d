import { similarLayer } from '../../app/layers/layer-checks.ts';
import { addLayer, type AddedLayer } from '../../app/layers/add-layer.ts';
import { isSameVersion, layerVersionName } from '../../app/layers/installed-layer.ts';
import { disorderedPeriods, neighboursInPeriod } from '../../app/layers/period-order.ts';
import { number, required, text, type CliContext, type CliDeps, type Command } from '../command.ts';
import { BAND, bandOption, VARIABLE, CARD_OPTIONS, cardOptions } from './layer-options.ts';
import { presentCard } from './layers.ts';
import { resolutionText } from './resolution-text.ts';

export const addLayerCommand: Command = {
  name: 'layers add',
  summary:
    'Install one band of a file (GeoTIFF, NetCDF, HDF5, Zarr, JPEG 2000, Parquet) as a layer, or as one more piece of it (docs/layers.md)',
  audited: true,
  operands: ['FILE'],
  options: {
    layer: { value: 'NAME', meaning: 'name of the layer, such as elevation or flood-depth', required: true },
    version: { value: 'V', meaning: 'version of the data; one version may have many files', required: true },
    'return-period': { value: 'YEARS', meaning: 'return period of a hazard map' },
    variable: VARIABLE,
    band: BAND,
    unit: {
      value: 'UNIT',
      meaning:
        'unit of the values, after scale and offset; another unit of the same kind is converted (cm, ft, km/h, kn, m/yr, g/kg)',
      fallback: 'the unit of the layer',
    },
    scale: { value: 'S', meaning: 'value = raw * scale + offset', fallback: 'what the file says, or 1' },
    offset: { value: 'O', meaning: 'see scale', fallback: 'what the file says, or 0' },
    nodata: {
      value: 'N',
      meaning: 'raw value that means no data',
      fallback: 'what the file says',
    },
    resolution: { value: 'METRES|auto', meaning: 'ground resolution of the data', fallback: 'auto' },
    'keep-doubtful': {
      meaning:
        'install a map that is named as the footprint of one event, or whose values are unusual: they are right all the same',
    },
    classes: { meaning: 'values are class codes, which are never averaged (not needed for known layers)' },
    ...CARD_OPTIONS,
  },
  async run(context, given) {
    const resolution = text(given, 'resolution');
    const deps = await context.open();
    const added = await addLayer(deps, {
      path: given.operands[0]!,
      layer: required(given, 'layer'),
      version: required(given, 'version'),
      returnPeriodYears: number(given, 'return-period'),
      variable: text(given, 'variable'),
      band: bandOption(given),
      unit: text(given, 'unit'),
      scale: number(given, 'scale'),
      offset: number(given, 'offset'),
      nodata: number(given, 'nodata') ?? null,
      resolutionM: resolution === 'auto' ? undefined : number(given, 'resolution'),
      classes: given.options['classes'] === true,
      keepDoubtful: given.options['keep-doubtful'] === true,
      ...cardOptions(given),
    });
    if (added.added && text(given, 'date') === undefined && added.pieceCount === 1)
      context.note('No --date: the data count as of today; old data make an answer less sure.');
    if (added.added && text(given, 'licence') === undefined && added.pieceCount === 1)
      context.note('No --licence: answers will show it as not stated.');
    if (added.eventLike !== undefined) context.note(added.eventLike);
    for (const note of await periodNotes(deps, added)) context.note(note);
    printAdded(context, [added]);
  },
};

/** What the new piece and the maps of other return periods of its version contradict each other in. */
async function periodNotes(deps: CliDeps, { added, environment, card, piece }: AddedLayer) {
  const installed = await deps.shelf.installed();
  const maps = installed.filter((other) => other.environment === environment).map((other) => other.card);
  if (!added || neighboursInPeriod(card, maps).length === 0) return [];
  await deps.layers.loadInstalled();
  await deps.layers.reload();
  const snapshot = deps.layers.snapshot(environment === 'all' ? 'production' : environment);
  return disorderedPeriods(snapshot, card, piece.coverage);
}

/** Prints the installed layers, and warns about layers that are empty or that no model reads. */
export function printAdded(context: CliContext, all: readonly AddedLayer[]): void {
  for (const { card, piece, readBy, isEmpty } of all) {
    if (isEmpty) context.note(`${piece.from} holds nothing but nodata: it answers nothing.`);
    if (readBy.length > 0) continue;
    const similar = similarLayer(card.layer);
    const hint = similar === undefined || similar === card.layer ? '' : ` Did you mean ${similar}?`;
    context.note(`No model reads layer ${card.layer}: it changes no answer.${hint}`);
  }
  const present = ({ environment, card, piece, added, pieceCount, readBy, values }: AddedLayer) => ({
    ...presentCard(card),
    environment,
    added,
    bbox: piece.coverage,
    sha256: piece.sha256,
    pieces: pieceCount,
    read_by: readBy,
    ...(values !== undefined && { values: { ...values, unit: card.unit } }),
  });
  const figure = (value: number): string => String(Number(value.toPrecision(4)));
  const contents = ({ card, added, values }: AddedLayer): string => {
    if (!added || values === undefined || all.filter((other) => isSameVersion(other.card, card)).length > 1)
      return '';
    const { lowest, median, highest } = values;
    const middle = median === undefined || card.unit === 'class' ? '' : `, median ${figure(median)}`;
    return `; values ${figure(lowest)} to ${figure(highest)}${middle} [${card.unit}]`;
  };
  const sentence = (layer: AddedLayer): string => {
    const { card, added, pieceCount, readBy } = layer;
    const pieces = pieceCount === 1 ? '1 piece' : `${pieceCount} pieces`;
    const readers = readBy.length === 0 ? '' : `; read by ${readBy.join(', ')}`;
    return `${layerVersionName(card)}: ${added ? 'installed' : 'was there already'}, ${pieces}, ${resolutionText(card.resolutionM)}${contents(layer)}${readers}`;
  };
  context.print(
    all.length === 1 ? present(all[0]!) : { layers: all.map(present) },
    // A version with several new pieces is reported once, with its final number of pieces.
    all
      .filter(({ card }, i) => all.findLastIndex((other) => isSameVersion(other.card, card)) === i)
      .map(sentence)
      .join('\n'),
  );
}
