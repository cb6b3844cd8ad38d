import { layerVersionName } from '../../app/layers/installed-layer.ts';
import { checkLayers, listLayers, removeLayer } from '../../app/layers/manage-layers.ts';
import { perilsReading } from '../../app/risk/list-models.ts';
import type { Environment } from '../../app/owner.ts';
import type { LayerCard } from '../../app/risk/layer-reader.ts';
import {
  ENVIRONMENT,
  environment,
  Failed,
  Misuse,
  number,
  required,
  table,
  text,
  type Command,
} from '../command.ts';
import { LAYER_ENVIRONMENT, layerEnvironment } from './layer-options.ts';
import { resolutionText } from './resolution-text.ts';

/** A layer's card as `--json` prints it. */
export function presentCard(card: LayerCard) {
  return {
    layer: card.layer,
    version: card.version,
    return_period_years: card.returnPeriodYears,
    unit: card.unit,
    resolution_m: card.resolutionM,
    date: card.date,
    licence: card.licence,
    source: card.source,
  };
}

export const listLayersCommand: Command = {
  name: 'layers list',
  summary: 'List the layers, in the order in which they are read',
  options: {
    environment: { ...ENVIRONMENT, meaning: 'only those that serve it', fallback: 'every layer' },
  },
  async run(context, given) {
    const only = text(given, 'environment') === undefined ? undefined : environment(given);
    const { installed, shipped } = await listLayers(await context.open(), only);
    const rows = [
      ...installed.map((layer) => ({ ...layer, origin: 'installed' })),
      ...shipped.map((card) => ({ environment: 'all', card, origin: 'shipped', pieces: [] })),
    ].sort(
      ({ card: a }, { card: b }) =>
        a.layer.localeCompare(b.layer) ||
        (a.returnPeriodYears ?? 0) - (b.returnPeriodYears ?? 0) ||
        a.resolutionM - b.resolutionM ||
        b.date.localeCompare(a.date),
    );
    context.print(
      {
        layers: rows.map(({ environment: serves, card, origin, pieces }) => ({
          ...presentCard(card),
          environment: serves,
          origin,
          read_by: perilsReading(card.layer),
          pieces: pieces.map((piece) => ({
            from: piece.from,
            sha256: piece.sha256,
            band: piece.band + 1,
            resolution_m: piece.resolutionM,
            bbox: piece.coverage,
            added_at: piece.addedAt,
          })),
        })),
      },
      table(
        [
          'LAYER',
          'VERSION',
          'RETURN PERIOD',
          'UNIT',
          'RESOLUTION',
          'DATE',
          'PIECES',
          'SERVES',
          'READ BY',
          'LICENCE',
        ],
        rows.map(({ environment: serves, card, origin, pieces }) => [
          card.layer,
          card.version,
          card.returnPeriodYears === null ? '' : `${card.returnPeriodYears} years`,
          card.unit,
          resolutionText(card.resolutionM),
          card.date,
          origin === 'shipped' ? 'shipped' : String(pieces.length),
          serves,
          perilsReading(card.layer).join(', ') || 'none',
          card.licence,
        ]),
      ),
    );
  },
};

export const checkLayersCommand: Command = {
  name: 'layers check',
  summary: 'Check every served layer for damage',
  async run(context) {
    const found = [];
    for await (const finding of checkLayers(await context.open())) found.push(finding);
    const damaged = found.filter(({ problem }) => problem !== null);
    const sentence =
      damaged.length === 0
        ? `All ${found.length} files of layers are as they were written`
        : `${damaged.length} of ${found.length} files of layers are damaged`;
    context.print(
      {
        ok: damaged.length === 0,
        checked: found.length,
        damaged: damaged.map(({ card, path, problem }) => ({ ...presentCard(card), path, problem })),
      },
      [...damaged.map(({ card, problem }) => `${layerVersionName(card)}: ${problem}`), sentence].join('\n'),
    );
    if (damaged.length > 0) throw new Failed(sentence);
  },
};

export const removeLayerCommand: Command = {
  name: 'layers remove',
  summary: 'Remove an installed version of a layer',
  audited: true,
  options: {
    layer: { value: 'NAME', meaning: 'name of the layer', required: true },
    version: { value: 'V', meaning: 'its version', required: true },
    'return-period': {
      value: 'YEARS',
      meaning: 'only the map of this return period',
      fallback: 'all of them',
    },
    environment: LAYER_ENVIRONMENT,
  },
  async run(context, given) {
    const removed = await removeLayer(await context.open(), {
      layer: required(given, 'layer'),
      version: required(given, 'version'),
      returnPeriodYears: number(given, 'return-period'),
      environment: layerEnvironment(given),
    });
    context.print(
      { removed: removed.map(presentCard) },
      `Removed: ${removed.map(layerVersionName).join(', ')}. A running service follows within seconds.`,
    );
  },
};

export const sampleLayersCommand: Command = {
  name: 'layers sample',
  summary: 'Show the value of every layer at a place',
  options: {
    lat: { value: 'DEGREES', meaning: 'latitude, -90 to 90', required: true },
    lng: { value: 'DEGREES', meaning: 'longitude, -180 to 180', required: true },
    layer: { value: 'NAME', meaning: 'only this layer' },
    environment: { ...ENVIRONMENT, meaning: 'the environment asked' },
  },
  async run(context, given) {
    const [lat, lng] = [number(given, 'lat')!, number(given, 'lng')!];
    if (Math.abs(lat) > 90) throw new Misuse(`--lat: expected -90 to 90, got ${lat}`);
    if (Math.abs(lng) > 180) throw new Misuse(`--lng: expected -180 to 180, got ${lng}`);
    const deps = await context.open();
    const asked: Environment = environment(given);
    const { installed, shipped } = await listLayers(deps, asked);
    const only = text(given, 'layer');
    const names = new Set([...installed.map(({ card }) => card.layer), ...shipped.map(({ layer }) => layer)]);
    if (only !== undefined && !names.has(only)) throw new Misuse(`--layer: there is no layer ${only}`);
    await deps.layers.loadInstalled();
    const snapshot = deps.layers.snapshot(asked);
    const rows = [];
    for (const name of [...names].toSorted()) {
      if (only !== undefined && name !== only) continue;
      for (const card of snapshot.cards(name)) {
        const [sample] = await snapshot.sample(card, Float64Array.of(lng), Float64Array.of(lat));
        rows.push({ card, sample: sample! });
      }
    }
    context.print(
      {
        lat,
        lng,
        samples: rows.map(({ card, sample }) => ({
          ...presentCard(card),
          value: sample.ok ? sample.value : null,
          reason: sample.ok ? null : sample.reason,
        })),
      },
      table(
        ['LAYER', 'VALUE', 'UNIT', 'RESOLUTION'],
        rows.map(({ card, sample }) => [
          layerVersionName(card),
          sample.ok ? String(Number(sample.value.toPrecision(7))) : sample.reason,
          card.unit,
          resolutionText(card.resolutionM),
        ]),
      ),
    );
  },
};
