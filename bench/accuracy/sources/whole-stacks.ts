import type { Stack } from '../../../test/oracles/resumed-passes.ts';
import { countryside } from '../countryside.ts';
import { isPresent } from '../data-set.ts';
import type { SampleStack } from '../engine.ts';
import { readMatoGrosso } from './mato-grosso.ts';
import { readNdviStack } from './ndvi-stack.ts';
import { readSlovenia, SLOVENIA_SET } from './slovenia.ts';

const MATO_GROSSO = 'matogrosso-modis-stack';
const TURA = 'tura-landsat-ndvi';

function stackOf({ width, height, pixelAreaM2, timesMs, metrics }: SampleStack): Stack {
  const doubles = Object.entries(metrics).map(([key, values]) => [key, Float64Array.from(values)] as const);
  const metric = doubles[0]![0];
  return { spec: { width, height, pixelAreaM2, metric, timesMs }, metrics: Object.fromEntries(doubles) };
}

async function ifPresent(set: string, read: () => Promise<SampleStack>): Promise<Stack | undefined> {
  return isPresent(set) ? stackOf(await read()) : undefined;
}

/** Functions that read whole stacks, by name: the simulated region, and labelled stacks; undefined where a set is absent. */
export const WHOLE_STACKS: Readonly<Record<string, () => Promise<Stack | undefined>>> = {
  countryside: () => Promise.resolve(stackOf(countryside(1, ['ndvi', 'nbr', 'mndwi']).stack)),
  slovenia: () => ifPresent(SLOVENIA_SET, readSlovenia),
  tura: () => ifPresent(TURA, () => readNdviStack(TURA, 'tura_south_ndvi.tif', 900)),
  matogrosso: () => ifPresent(MATO_GROSSO, () => readMatoGrosso(MATO_GROSSO)),
};
