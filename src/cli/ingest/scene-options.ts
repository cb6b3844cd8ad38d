import { readMetrics, REFERENCE_SENSOR, SCENE_METRICS } from '../../app/imagery/scene-request.ts';

import { type Given, Misuse, number, type Option, text } from '../command.ts';

const MAX_CLOUD = 90; // default maximum cloud cover [%]; cloudier scenes show almost nothing of the ground

/** The option `--metrics` of a command that reads scenes. */
export function metricsOption(fallback: string): Option {
  return { value: 'KEY,KEY', meaning: `some of ${SCENE_METRICS.join(', ')}`, fallback };
}

/**
 * Returns the metrics that `--metrics` lists; undefined when the option is not given.
 * @throws InvalidInput for an unknown metric
 */
export function metricsOf(given: Given): ReturnType<typeof readMetrics> | undefined {
  const written = text(given, 'metrics');
  return written === undefined ? undefined : readMetrics(written);
}

/** The option `--adjust`. */
export const ADJUST_OPTION: Option = {
  value: REFERENCE_SENSOR,
  meaning:
    'adjust the bands of Sentinel-2 and Landsat 7 to those of Landsat 8 and 9 by published lines, so that one collection can hold them all',
  fallback: 'as in the collection; not in a new one',
};

/** Returns whether `--adjust` is given; undefined when it is not. @throws Misuse for an unknown sensor */
export function adjustOf(given: Given): true | undefined {
  const written = text(given, 'adjust');
  if (written === undefined) return undefined;
  if (written !== REFERENCE_SENSOR)
    throw new Misuse(`--adjust: expected ${REFERENCE_SENSOR}, got ${written}`);
  return true;
}

/** The option `--no-true-colour`. */
export const NO_TRUE_COLOUR_OPTION: Option = {
  meaning: 'make no pictures in true colour, and read red, green and blue only where a metric needs them',
};

/** Returns whether scenes get pictures in true colour. */
export function isTrueColour(given: Given): boolean {
  return given.options['no-true-colour'] !== true;
}

export const MAX_CLOUD_OPTION: Option = {
  value: 'PERCENT',
  meaning: 'leave out scenes with more cloud',
  fallback: String(MAX_CLOUD),
};

/** Returns the maximum cloud cover in `--max-cloud` as a share [0-1]. @throws Misuse */
export function maxCloudShare(given: Given): number {
  const percent = number(given, 'max-cloud') ?? MAX_CLOUD;
  if (!(percent >= 0 && percent <= 100)) throw new Misuse(`--max-cloud: expected 0 to 100, got ${percent}`);
  return percent / 100;
}
