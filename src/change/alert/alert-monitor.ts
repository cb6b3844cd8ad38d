import { medianInPlace } from '../../numerics/median.ts';
import type { PixelState } from '../pixel/departure-monitor.ts';
import { packEvents, type PixelEvent, type PixelEvents } from '../pixel/pixel-events.ts';
import { NONE, stripPixels, type PixelStrip, type StackSpec } from '../stack.ts';
import { ALERT_PARAMETERS, lossProbability, meanLossAt, updateMeanLoss } from './alert-model.ts';

/** State of a pixel after one observation. */
export interface AlertStep {
  readonly scene: number;
  /** Loss of cover [%]. */
  readonly loss: number;
  /** Moving average of the loss of cover [%]. */
  readonly meanLoss: number;
  /** Number of consecutive anomalies: observations whose loss is at least the moving average of a suspicion. */
  readonly run: number;
  readonly probability: number;
  readonly state: PixelState;
}

/** Moving averages from which a departure is suspected and confirmed [%]. */
const SUSPECTED_FROM = meanLossAt(ALERT_PARAMETERS.suspectedFrom);
const CONFIRMED_FROM = meanLossAt(ALERT_PARAMETERS.confirmedFrom);

/** A departure that has not ended. */
interface Departure {
  readonly firstAnomaly: number;
  readonly flagged: number;
  confirmed: number;
  latest: number;
  /** Probabilities since the confirmation; only the latest one before it. */
  probabilities: number[];
  losses: number[];
}

/**
 * Follows the loss of cover of the pixels of a strip, scene by scene. The values are those of an alert product: the
 * fall of the cover below its lowest value at the same time of year in the years before, 0 where there is none. The
 * state at a scene does not depend on later scenes.
 */
export function alertEvents(spec: StackSpec, strip: PixelStrip): PixelEvents {
  const times = spec.timesMs.length;
  const pixels = stripPixels(spec, strip);
  const events: PixelEvent[] = [];
  for (let p = 0; p < pixels; p++)
    followAlerts(spec, strip.from + p, strip.values.subarray(p * times, (p + 1) * times), (event) =>
      events.push(event),
    );
  return packEvents(events, 1);
}

/**
 * Follows one pixel from its first scene to its last.
 * @param losses loss of cover by scene [%], NaN where nothing was observed
 * @param emit receives each flagged departure when it ends, and the departure that is open after the last scene
 * @param record receives the state after each observation, if given
 */
export function followAlerts(
  { timesMs }: StackSpec,
  pixel: number,
  losses: Float32Array | Float64Array,
  emit: (event: PixelEvent) => void,
  record?: (step: AlertStep) => void,
): void {
  let meanLoss = 0;
  let run = 0;
  let runStart = NONE;
  let departure: Departure | undefined;
  for (let scene = 0; scene < losses.length; scene++) {
    const loss = losses[scene]!;
    if (!Number.isFinite(loss)) continue;
    meanLoss = updateMeanLoss(meanLoss, loss);
    if (loss < SUSPECTED_FROM) run = 0;
    else if (run++ === 0) runStart = scene;
    if (departure === undefined && meanLoss >= SUSPECTED_FROM)
      // The moving average can only rise to the limit in an observation that reaches the limit itself.
      departure = {
        firstAnomaly: runStart,
        flagged: scene,
        confirmed: NONE,
        latest: scene,
        probabilities: [],
        losses: [...losses.subarray(runStart, scene)].filter((value) => Number.isFinite(value)),
      };
    if (departure !== undefined && meanLoss < SUSPECTED_FROM) {
      emit(ended(timesMs, pixel, departure, scene));
      departure = undefined;
    }
    if (departure !== undefined) observe(departure, scene, loss, meanLoss);
    record?.({
      scene,
      loss,
      meanLoss,
      run,
      probability: lossProbability(meanLoss),
      state: stateOf(departure),
    });
  }
  if (departure !== undefined) emit(eventOf(timesMs, pixel, departure));
}

function stateOf(departure: Departure | undefined): PixelState {
  if (departure === undefined) return 'watching';
  return departure.confirmed === NONE ? 'suspected' : 'confirmed';
}

function observe(departure: Departure, scene: number, loss: number, meanLoss: number): void {
  if (departure.confirmed === NONE) {
    departure.probabilities.length = 0;
    if (meanLoss >= CONFIRMED_FROM) departure.confirmed = scene;
  }
  departure.probabilities.push(lossProbability(meanLoss));
  departure.losses.push(loss);
  departure.latest = scene;
}

/** The event of a departure whose moving average fell below the limit at `scene`. */
function ended(timesMs: Float64Array, pixel: number, departure: Departure, scene: number): PixelEvent {
  const event = eventOf(timesMs, pixel, departure);
  if (departure.confirmed === NONE) return { ...event, status: 'rejected', rejected: scene };
  const lastedMs = timesMs[scene]! - timesMs[departure.firstAnomaly]!;
  return lastedMs < ALERT_PARAMETERS.recoverableMs
    ? { ...event, status: 'recovered', recovered: scene }
    : event;
}

function eventOf(timesMs: Float64Array, pixel: number, departure: Departure): PixelEvent {
  const { firstAnomaly, flagged, confirmed, latest, probabilities } = departure;
  const losses = Float64Array.from(departure.losses);
  const magnitude = medianInPlace(losses, losses.length);
  return {
    pixel,
    direction: 1,
    status: confirmed === NONE ? 'suspected' : 'confirmed',
    firstAnomaly,
    flagged,
    confirmed,
    recovered: NONE,
    rejected: NONE,
    harmonic: true, // the provider's baseline is of the same season of earlier years
    posterior: probabilities.reduce((sum, each) => sum + each, 0) / probabilities.length,
    lastedMs: timesMs[latest]! - timesMs[firstAnomaly]!,
    magnitude,
    moves: [{ residual: magnitude, value: magnitude }],
  };
}
