import { installLayer } from '../app/layers/install-layer.ts';
import { PUBLIC_LAYERS } from '../app/layers/public-layers.ts';
import { readBox } from '../app/imagery/scene-request.ts';
import { type Command, required, text } from './command.ts';
import { printAdded } from './layers-add.ts';
import { LAYER_ENVIRONMENT, layerEnvironment } from './layers.ts';

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
      meaning: 'where its files are, laid out as at their provider',
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
    const added = await installLayer(deps, request, (done, total) =>
      context.note(`tiles: ${done} of ${total}`),
    );
    printAdded(context, added);
  },
};
