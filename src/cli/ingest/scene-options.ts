import { readMetrics, SCENE_METRICS } from '../../app/imagery/scene-request.ts';
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
