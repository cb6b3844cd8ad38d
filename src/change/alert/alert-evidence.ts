import type { ChangeObject } from '../object/objects.ts';
import type { EvidenceStep, ObjectEvidence } from '../object/provenance.ts';
import type { StackSpec } from '../stack.ts';
import { ALERT_PARAMETERS, meanLossAt } from './alert-model.ts';
import { type AlertStep, followAlerts } from './alert-monitor.ts';

/**
 * Follows the seed pixel of an object of alerts once more and records the evidence of the object. The expected value is
 * 0, because the provider has compared the cover with its own baseline. `ewma` is the moving average of the loss of
 * cover and `ewmaLimit` its value from which a loss is suspected, both in percent.
 * @param losses the seed pixel's loss of cover by scene [%], NaN where nothing was observed
 * @param observed 1 where any pixel of the object was observed; see `noteObserved`
 * @throws RangeError when the series differs from that in which the object was found
 */
export function alertEvidence(
  spec: StackSpec,
  { seed }: ChangeObject,
  losses: Float32Array | Float64Array,
  observed: Uint8Array,
): ObjectEvidence {
  const steps: AlertStep[] = [];
  let found = false;
  followAlerts(
    spec,
    seed.pixel,
    losses,
    (event) => (found ||= event.firstAnomaly === seed.firstAnomaly && event.flagged === seed.flagged),
    (step) => steps.push(step),
  );
  if (!found) throw new RangeError('the series does not lead to this object');
  const before = steps.filter(({ scene }) => scene < seed.firstAnomaly);
  const since = steps.slice(before.length);
  const end = since.findIndex(({ scene, state }) => scene > seed.flagged && state === 'watching');
  const path = (end < 0 ? since : since.slice(0, end + 1)).map((step) => stepOf(spec, step));
  const lastMs = path.at(-1)!.timeMs;
  const timeOf = ({ scene }: AlertStep): number => spec.timesMs[scene]!;
  return {
    baseline: {
      metric: 0,
      kind: 'provider',
      fromMs: timeOf(steps[0]!),
      toMs: timeOf(before.at(-1) ?? steps[0]!),
      observations: before.length,
      coefficients: [],
      scale: 0,
      rho: 0,
    },
    path,
    scenes: Array.from(observed.keys())
      .filter((scene) => observed[scene] === 1 && spec.timesMs[scene]! <= lastMs)
      .map((scene) => ({ scene, role: scene < seed.firstAnomaly ? 'baseline' : 'monitoring' })),
  };
}

function stepOf({ timesMs }: StackSpec, step: AlertStep): EvidenceStep {
  return {
    timeMs: timesMs[step.scene]!,
    metric: 0,
    value: step.loss,
    expected: 0,
    residual: step.loss,
    ewma: step.meanLoss,
    ewmaLimit: meanLossAt(ALERT_PARAMETERS.suspectedFrom),
    run: step.run,
    posterior: step.probability,
    state: step.state,
  };
}
