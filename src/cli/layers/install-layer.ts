import { installPublicLayer } from '../../app/layers/install-public-layer.ts';
import { PUBLIC_LAYERS } from '../../app/layers/public-layers.ts';
import { readBox } from '../../app/imagery/scene-request.ts';
import { type Command, required, text } from '../command.ts';
import { LAYER_ENVIRONMENT, layerEnvironment } from './layer-options.ts';
import { printAdded } from './add-layer.ts';

const NAMES = Object.entries(PUBLIC_LAYERS)
  .map(([name, { meaning }]) => `${name} (${meaning})`)
  .join('; ');

export const installLayerCommand: Command = {
  name: 'layers install',
  summary: `Fetch a public map for an area and install it: ${NAMES}`,
  audited: true,
  operands: ['NAME'],
  options: {
    bbox: { value: 'w,s,e,n', meaning: 'area in degrees', required: true },
    mirror: {
      value: 'URL',
      meaning: 'base address of a copy, laid out as at the provider',
      fallback: 'the provider',
    },
    environment: LAYER_ENVIRONMENT,
  },
  async run(context, given) {
    const deps = await context.open();
    const request = {
      name: given.operands[0]!,
      bounds: readBox(required(given, 'bbox')),
      mirror: text(given, 'mirror'),
      environment: layerEnvironment(given),
    };
    const added = await installPublicLayer(deps, request, (done, total) =>
      context.note(`tiles: ${done} of ${total}`),
    );
    printAdded(context, added);
  },
};
