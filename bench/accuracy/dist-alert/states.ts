import { DAY_MS } from '../../../src/base/time.ts';
import { ALERT_PARAMETERS } from '../../../src/change/alert/alert-model.ts';
import { followAlerts } from '../../../src/change/alert/alert-monitor.ts';
import type { PixelEvent } from '../../../src/change/pixel/pixel-events.ts';
import type { Alerts } from './alerts.ts';
import type { DistPixel } from './sample.ts';

/** What the service makes of the observations of a sample. */
export interface Followed {
  /** Where a departure is open: suspected or confirmed. */
  readonly suspected: Alerts;
  readonly confirmed: Alerts;
  /** Departures of each pixel. Their scenes are indices of observations. */
  readonly events: readonly (readonly PixelEvent[])[];
}

/** Follows the pixels as the service does. The alerts are those of the judged observations. */
export function followed(pixels: readonly DistPixel[], model = ALERT_PARAMETERS): Followed {
  const suspected: boolean[][] = [];
  const confirmed: boolean[][] = [];
  const events: PixelEvent[][] = [];
  for (const { id, observations, judgedFrom } of pixels) {
    // An observation without a value keeps the state of the one before.
    const states = observations.map(() => 'none');
    const found: PixelEvent[] = [];
    followAlerts(
      { timesMs: Float64Array.from(observations, ({ day }) => day * DAY_MS) },
      id,
      Float64Array.from(observations, ({ vegAnom }) => vegAnom),
      (event) => found.push(event),
      ({ scene, state }) => states.fill(state, scene),
      model,
    );
    const judged = states.slice(judgedFrom);
    suspected.push(judged.map((state) => state === 'suspected' || state === 'confirmed'));
    confirmed.push(judged.map((state) => state === 'confirmed'));
    events.push(found);
  }
  return { suspected, confirmed, events };
}
