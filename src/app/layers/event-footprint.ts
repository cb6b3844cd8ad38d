import { figure, type LayerRequest, refuse } from './layer-checks.ts';

/** Texts that name a map of one event, such as `fp_1999122606.tif` or `event 12`. */
const EVENT =
  /foot[-_ ]?print|(^|[^a-z])fp[-_]|single[-_ ](storm|event)|(^|[^a-z])event[-_ ]?(id|\d)|hindcast/i;

/**
 * Refuses a hazard map that is named as the footprint of one event, unless the user confirms that it holds levels of the
 * return period.
 * @param texts name, version, source and description of the map
 * @throws InvalidInput with the text that names the event
 */
export function refuseFootprint(
  { layer, returnPeriodYears, keepDoubtful }: LayerRequest,
  texts: readonly (string | null | undefined)[],
): void {
  if (returnPeriodYears === undefined || keepDoubtful === true) return;
  const named = texts.find((text) => typeof text === 'string' && EVENT.test(text));
  if (named !== undefined)
    refuse(
      'return-period',
      `${JSON.stringify(named)} names the footprint of one event; layer ${layer} expects the level that is exceeded once in ${returnPeriodYears} years at each place. ` +
        'Derive it from many events (layers derive gust --maxima), or confirm with --keep-doubtful that the map holds it',
    );
}

/** Minimum ratio of the highest to the lowest gust of a map that is noted [1] (our choice). */
const WIDE_GUSTS = 1.6;
/** Share of the usual gust of the return period below which the lowest gust of a map is noted [1] (our choice). */
const CALM_SHARE = 0.75;

/**
 * Returns why the values of a gust map look like those of one event: a storm is strong on its track and calm beside it,
 * while the level of a return period varies little from place to place on the same kind of ground. Undefined when they
 * do not. Maps of mountains may look so too, therefore this is a note and no error.
 * @param lowest lowest value of the map, and `highest` its highest [m/s]
 * @param usualMps usual inland gust of the return period [m/s]
 */
export function eventLikeGusts(
  lowest: number,
  highest: number,
  returnPeriodYears: number,
  usualMps: number,
): string | undefined {
  if (!(lowest < CALM_SHARE * usualMps && highest > usualMps && highest > WIDE_GUSTS * lowest))
    return undefined;
  return (
    `The gusts reach from ${figure(lowest)} to ${figure(highest)} m/s; usual for ${returnPeriodYears} years inland is ${figure(usualMps)}. ` +
    'The footprint of one storm looks so: it is no return level, and places beside its track would be called safe.'
  );
}
