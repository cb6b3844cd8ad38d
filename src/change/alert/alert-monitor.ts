import { medianInPlace } from '../../numerics/median.ts';
import type { PixelState } from '../pixel/departure-monitor.ts';
import { packEvents, type PixelEvent, type PixelEvents } from '../pixel/pixel-events.ts';
import { NONE, stripPixels, type PixelStrip, type StackSpec } from '../stack.ts';
import {
  ALERT_PARAMETERS,
  type AlertParameters,
  lossProbability,
  meanLossAt,
  updateMeanLoss,
} from './alert-model.ts';

/** State of a pixel after one observation. */
export interface AlertStep {
  readonly scene: number;
  /** Loss of cover [%]. */
  readonly loss: number;
  /** Moving average of the loss of cover [%]. */
  readonly meanLoss: number;
  /** Number of consecutive anomalies; see `AlertParameters.confirmAnomalies`. */
  readonly run: number;
  readonly probability: number;
  readonly state: PixelState;
}

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
  { timesMs }: Pick<StackSpec, 'timesMs'>,
  pixel: number,
  losses: Float32Array | Float64Array,
  emit: (event: PixelEvent) => void,
  record?: (step: AlertStep) => void,
  model = ALERT_PARAMETERS,
): void {
  const suspectedFrom = meanLossAt(model.suspectedFrom, model);
  const confirmedFrom = meanLossAt(model.confirmedFrom, model);
  let meanLoss = 0;
  let run = 0;
  let runStart = NONE;
  let departure: Departure | undefined;
  for (let scene = 0; scene < losses.length; scene++) {
    const loss = losses[scene]!;
    if (!Number.isFinite(loss)) continue;
    meanLoss = updateMeanLoss(meanLoss, loss, model);
    if (loss < suspectedFrom) run = 0;
    else if (run++ === 0) runStart = scene;
    // The moving average can only rise to the limit in an observation that reaches the limit itself, in a run.
    if (departure === undefined && meanLoss >= suspectedFrom) departure = startedAt(losses, runStart, scene);
    if (departure !== undefined && meanLoss < suspectedFrom) {
      emit(ended(timesMs, pixel, departure, scene, model));
      departure = undefined;
    }
    if (departure !== undefined) {
      const isSure = meanLoss >= confirmedFrom && run >= model.confirmAnomalies;
      observe(departure, scene, loss, lossProbability(meanLoss, model), isSure);
    }
    record?.({
      scene,
      loss,
      meanLoss,
      run,
      probability: lossProbability(meanLoss, model),
      state: stateOf(departure),
    });
  }
  if (departure !== undefined) emit(eventOf(timesMs, pixel, departure));
}

function startedAt(losses: Float32Array | Float64Array, firstAnomaly: number, scene: number): Departure {
  return {
    firstAnomaly,
    flagged: scene,
    confirmed: NONE,
    latest: scene,
    probabilities: [],
    losses: [...losses.subarray(firstAnomaly, scene)].filter((value) => Number.isFinite(value)),
  };
}

function stateOf(departure: Departure | undefined): PixelState {
  if (departure === undefined) return 'watching';
  return departure.confirmed === NONE ? 'suspected' : 'confirmed';
}

function observe(
  departure: Departure,
  scene: number,
  loss: number,
  probability: number,
  isSure: boolean,
): void {
  if (departure.confirmed === NONE) {
    departure.probabilities.length = 0;
    if (isSure) departure.confirmed = scene;
  }
  departure.probabilities.push(probability);
  departure.losses.push(loss);
  departure.latest = scene;
}

/** The event of a departure whose moving average fell below the limit at `scene`. */
function ended(
  timesMs: Float64Array,
  pixel: number,
  departure: Departure,
  scene: number,
  { recoverableMs }: AlertParameters,
): PixelEvent {
  const event = eventOf(timesMs, pixel, departure);
  if (departure.confirmed === NONE) return { ...event, status: 'rejected', rejected: scene };
  const lastedMs = timesMs[scene]! - timesMs[departure.firstAnomaly]!;
  return lastedMs < recoverableMs ? { ...event, status: 'recovered', recovered: scene } : event;
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
    sure: NONE,
    evident: NONE,
    early: false,
    recovered: NONE,
    rejected: NONE,
    seasonal: false,
    harmonic: true, // the provider's baseline is of the same season of earlier years
    posterior: probabilities.reduce((sum, each) => sum + each, 0) / probabilities.length,
    lastedMs: timesMs[latest]! - timesMs[firstAnomaly]!,
    magnitude,
    moves: [{ residual: magnitude, value: magnitude }],
  };
}
