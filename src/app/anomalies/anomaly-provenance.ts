import { formatTimestamp } from '../../base/time.ts';
import type { AnomalyEpisode } from '../../anomaly/anomaly.ts';
import { tailOf, type ObservedSeries, type Judgement } from '../../anomaly/judgement.ts';
import { lawText, NORMAL_LAW } from '../../anomaly/metric-law.ts';
import type { WatchedSeries } from './watched-series.ts';
import { COMPUTED_DIGITS, presentNumbers } from './present-anomaly.ts';
import { toSignificant } from '../../numerics/significant-digits.ts';

/** Version of the anomaly model, part of the provenance of every anomaly. */
const ANOMALY_MODEL = 'anomaly-v0.4.1';

/**
 * Maximum number of observations listed in the provenance of an anomaly (our choice). The earliest observations are
 * listed, and always the peak and the end. Without a maximum, a year of daily values would take 100 kB.
 */
const MOST_OBSERVATIONS = 100;

/** Provenance of an anomaly: its series, the distribution by which it was judged, and its observations. */
export function anomalyProvenance(
  { collection, station, pixels, series }: WatchedSeries,
  episode: AnomalyEpisode,
  judged: Judgement,
): Readonly<Record<string, unknown>> {
  const { law = NORMAL_LAW } = series;
  const scene = pixels?.scenes[episode.peakIndex];
  return {
    collection: {
      id: collection.id,
      name: collection.name,
      metric: collection.metric,
      unit: collection.unit,
    },
    ...(collection.simulated && { simulated: true }),
    ...(station && { station: { id: station.id, name: station.key, lat: station.lat, lng: station.lng } }),
    ...(pixels && { pixels: pixels.count }),
    ...(scene && { scene_at_peak: scene.key, scene_sha256: scene.sha256 }),
    statistic: `${pixels ? 'mean over the pixels of the area' : 'observation of the station'}, against ${
      law.kind === 'level' ? 'the latest level' : 'the seasonal baseline'
    } of the observations before`,
    law: lawText(law),
    tail: 'two-sided, of Student’s law of the departure',
    ...listed(series, episode, judged, pixels !== null),
    model_version: ANOMALY_MODEL,
  };
}

/** Returns the observations to list for an episode, and the numbers of observations before and during the episode. */
function listed(
  { timesMs, values }: ObservedSeries,
  episode: AnomalyEpisode,
  judged: Judgement,
  isMean: boolean,
) {
  const last = episode.endIndex ?? timesMs.length - 1;
  let before = 0;
  for (let i = 0; i < episode.startIndex; i++) if (Number.isFinite(values[i])) before += 1;
  const during: number[] = [];
  for (let i = episode.startIndex; i <= last; i++) if (!Number.isNaN(judged.departure[i]!)) during.push(i);
  const shown = during.slice(0, MOST_OBSERVATIONS);
  for (const i of [episode.peakIndex, ...(episode.endIndex === null ? [] : [episode.endIndex])])
    if (!shown.includes(i)) shown.push(i);
  return {
    observations_before: before,
    observations_during: during.length,
    observations: shown.map((i) => ({
      t: formatTimestamp(timesMs[i]!),
      ...presentNumbers({ value: values[i]!, expected: judged.expected[i]! }, isMean),
      departure: toSignificant(judged.departure[i]!, COMPUTED_DIGITS),
      degrees_of_freedom: toSignificant(judged.freedom[i]!, COMPUTED_DIGITS),
      tail_probability: toSignificant(tailOf(judged, i), COMPUTED_DIGITS),
    })),
  };
}
