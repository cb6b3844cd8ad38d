import { SANDBOX_DAYS } from '../../sandbox/world.ts';
import { dateOfDay } from '../../sandbox/weather.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { deliverPoints } from './deliver-points.ts';
import { deliverImages, type SandboxDeps } from './deliver-simulated.ts';
import { SANDBOX_MONITORED } from './collection-names.ts';
import { InvalidInput, UpstreamUnavailable } from '../../base/errors.ts';
import { holdSandbox } from './hold-sandbox.ts';
import { monitorCollection } from '../changes/monitor-collection.ts';
import { regroupAll } from '../incidents/regroup-incidents.ts';
import { refreshAnomalies } from '../anomalies/refresh-anomalies.ts';
import type { Collection } from '../series/collection-store.ts';

const PATIENCE_MS = 120_000; // maximum time that a call waits until the history is complete
const RETRY_MS = 500;

/** Result of advancing the clock. */
export interface SandboxStep {
  /** First day that is not observed yet, YYYY-MM-DD. */
  readonly date: string;
  readonly days: number;
  /** Number of new scenes. A scene counts once, not once per index. */
  readonly scenes: number;
  /** Number of new observations of stations. */
  readonly observations: number;
  /** Numbers of new and updated changes. */
  readonly changes: { readonly inserted: number; readonly updated: number };
}

/**
 * Advances the clock of the simulated region by whole days. The observations of each day are ingested and monitored
 * before the observations of the next day, so that changes and events do not depend on how the days are split into
 * calls. Concurrent calls run one after the other. A call waits until the history is complete.
 * @throws InvalidInput when there is no region, or the days go beyond its end; UpstreamUnavailable when the
 * history is not complete in time
 */
export async function advanceSandbox(deps: SandboxDeps, days: number): Promise<SandboxStep> {
  for (const until = performance.now() + PATIENCE_MS; ; await sleep(RETRY_MS)) {
    const state = await deps.storage.sandbox.read();
    if (state === undefined)
      throw new InvalidInput('There is no simulated region here: GROUNDWATCH_SANDBOX is off');
    if (state.readyAt !== null) break;
    if (performance.now() > until)
      throw new UpstreamUnavailable(
        `the history of the simulated region is not complete after ${PATIENCE_MS / 1000} s: a worker makes it`,
      );
  }
  const step = await holdSandbox(deps, Infinity, (holder) => moveOn(deps, holder, days));
  return step!;
}

/** Advances the clock for the holder of the lease. @throws InvalidInput when the days go beyond the region's end */
export async function moveOn(deps: SandboxDeps, holder: string, days: number): Promise<SandboxStep> {
  const { day: first } = (await deps.storage.sandbox.read())!;
  const end = first + days;
  if (end > SANDBOX_DAYS)
    throw new InvalidInput(
      `days: the region's time ends on ${dateOfDay(SANDBOX_DAYS)}, ${SANDBOX_DAYS - first} days from now; got ${days}`,
      { param: 'days' },
    );
  let [scenes, observations] = [0, 0];
  const changes = { inserted: 0, updated: 0 };
  for (let day = first; day < end; day++) {
    const points = await deliverPoints(deps, day, day + 1);
    observations += points.observations;
    const { optical, radar, collections } = await deliverImages(deps, day, day + 1, () => undefined);
    scenes += optical.length + radar.length;
    for (const collection of monitored(collections)) {
      const report = await monitorCollection(deps, collection, () => undefined);
      changes.inserted += report.inserted;
      changes.updated += report.updated;
    }
    for (const area of points.areas) await refreshAnomalies(deps, area, area.id);
    await regroupAll(deps.storage);
    await deps.storage.sandbox.moveTo(holder, day + 1);
    deps.wakeDelivery();
  }
  return { date: dateOfDay(end), days, scenes, observations, changes };
}

/** Picks one collection for each monitored name. Monitoring it covers all collections with the same name. */
function monitored(collections: readonly Collection[]): readonly Collection[] {
  return SANDBOX_MONITORED.flatMap((name) => collections.find((one) => one.name === name) ?? []);
}
