import { deriveHand } from '../../app/layers/derive/derive-hand.ts';
import { number, required, text, type Command } from '../command.ts';
import { BAND, bandOption, VARIABLE, CARD_OPTIONS, layerVersion, cardOptions } from './layer-options.ts';
import { printAdded } from './add-layer.ts';

/**
 * Default upstream area at which a stream starts [km2]: about the area that drains into the first few hundred metres
 * of a humid valley (our choice).
 */
const STREAM_AREA_KM2 = 1;

export const deriveHandCommand: Command = {
  name: 'layers derive hand',
  summary: 'Derive height above nearest drainage from a DEM, and install it (docs/layers.md)',
  audited: true,
  options: {
    dem: { value: 'DEM.tif', meaning: 'heights [m], preferably of whole catchments', required: true },
    version: layerVersion('version of the layers hand and upstream-area'),
    threshold: {
      value: 'KM2',
      meaning: 'upstream area from which there is a stream',
      fallback: String(STREAM_AREA_KM2),
    },
    variable: VARIABLE,
    band: BAND,
    nodata: { value: 'N', meaning: 'raw value that is no height', fallback: 'what the file says' },
    'nodata-is-water': { meaning: 'treat places without a height as sea or lake instead of as unknown' },
    ...CARD_OPTIONS,
  },
  async run(context, given) {
    const added = await deriveHand(await context.open(), {
      path: required(given, 'dem'),
      variable: text(given, 'variable'),
      band: bandOption(given),
      nodata: number(given, 'nodata') ?? null,
      version: required(given, 'version'),
      streamAreaKm2: number(given, 'threshold') ?? STREAM_AREA_KM2,
      nodataIsWater: given.options['nodata-is-water'] === true,
      ...cardOptions(given),
    });
    printAdded(context, added);
  },
};
