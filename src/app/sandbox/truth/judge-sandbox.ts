import { MODEL_VERSION } from '../../../change/parameters.ts';
import type { EventKind } from '../../../sandbox/events.ts';
import { dateOfDay } from '../../../sandbox/weather.ts';
import { SANDBOX_MONITORED } from '../collection-names.ts';
import type { Deps } from '../../deps.ts';
import { NotFound } from '../../../base/errors.ts';
import {
  type AnomalyJudgement,
  judgeAnomalies,
  plantedSpells,
  type SeenAnomaly,
  type TrueSpell,
} from './anomalies.ts';
import { DEMO_ACCOUNT, DEMO_AREAS } from '../sandbox-areas.ts';
import { rareWeather } from './weather.ts';
import { judgeRisk, type PerilJudgement, perilTruth } from './risk.ts';
import {
  isOnEvent,
  judgeEvent,
  mapChange,
  type MappedChange,
  sharedPixels,
  type JudgedEvent,
} from './changes.ts';

/** Detection accuracy for one kind of event. */
export interface KindAccuracy {
  readonly kind: EventKind;
  readonly planted: number;
  readonly found: number;
  /** Share of the planted events that were found; null when none was planted. */
  readonly producersAccuracy: number | null;
  readonly medianLagDays: number | null;
}

/** Comparison of the service's results for the simulated region with its truth. */
export interface SandboxJudgement {
  /** First day that is not observed yet, YYYY-MM-DD. */
  readonly date: string;
  readonly modelVersion: string;
  readonly events: readonly JudgedEvent[];
  readonly accuracy: readonly KindAccuracy[];
  readonly claims: {
    /** Number of confirmed changes, and number of confirmed changes on planted events. */
    readonly confirmed: number;
    readonly onEvents: number;
    /** Share of the confirmed changes that lie on planted events, by number and by area; null if there are none. */
    readonly usersAccuracy: number | null;
    readonly usersAccuracyByArea: number | null;
  };
  /** Comparison for the anomalies of the demo account's areas; null if the account does not exist or has no areas. */
  readonly anomalies: AnomalyJudgement | null;
  readonly risk: readonly PerilJudgement[];
}

/**
 * Compares the service's changes, anomalies and risk scores in the simulated region with the planted truth.
 * @throws NotFound when there is no region, or its history is not complete or not monitored yet
 */
export async function judgeSandbox(
  deps: Pick<Deps, 'storage' | 'layers' | 'region'>,
): Promise<SandboxJudgement> {
  const { storage, region } = deps;
  const state = await storage.sandbox.read();
  if (state === undefined || state.readyAt === null)
    throw new NotFound('The simulated region is not ready: start the service with GROUNDWATCH_SANDBOX=on');
  const planted = (await region.events()).filter(({ since }) => Math.min(...since) < state.day);
  const truth = perilTruth(planted, await region.layers());
  await region.close();
  const changes: MappedChange[] = [];
  for (const name of SANDBOX_MONITORED) {
    for (const { id } of await storage.collections.byName('sandbox', null, name))
      changes.push(
        ...(await storage.changes.ofCollection(id))
          .filter(({ modelVersion }) => modelVersion === MODEL_VERSION)
          .map(mapChange),
      );
  }
  if (changes.length === 0)
    throw new NotFound(
      `${MODEL_VERSION} has not looked at the simulated region yet: wait for the service to do it`,
    );
  const events = planted.map((event) => judgeEvent(event, changes, state.day));
  const confirmed = changes.filter(({ change }) => change.status === 'confirmed');
  const onEvents = confirmed.filter((change) => isOnEvent(change, planted)).length;
  const claimedPixels = confirmed.reduce((sum, { pixels }) => sum + pixels.length, 0);
  const truePixels = confirmed.reduce((sum, change) => sum + sharedPixels(change, planted), 0);
  return {
    date: dateOfDay(state.day),
    modelVersion: MODEL_VERSION,
    events,
    accuracy: [...Map.groupBy(events, ({ kind }) => kind)].map(([kind, of]) => accuracyOf(kind, of)),
    claims: {
      confirmed: confirmed.length,
      onEvents,
      usersAccuracy: shareOf(onEvents, confirmed.length),
      usersAccuracyByArea: shareOf(truePixels, claimedPixels),
    },
    anomalies: await judgeDemoAreas(
      storage,
      plantedSpells(planted, state.day),
      rareWeather(region.seed, state.day),
    ),
    risk: judgeRisk(deps, truth),
  };
}

/** Compares the anomalies of the demo account's areas with the truth. */
async function judgeDemoAreas(
  storage: Deps['storage'],
  planted: readonly TrueSpell[],
  rare: readonly TrueSpell[],
): Promise<AnomalyJudgement | null> {
  const demo = await storage.accounts.byName(DEMO_ACCOUNT);
  if (demo === undefined) return null;
  const owner = { accountId: demo.id, environment: 'sandbox' } as const;
  const areas = (await storage.aois.list(owner, { limit: DEMO_AREAS, after: undefined })).items;
  if (areas.length === 0) return null;
  const seen: SeenAnomaly[] = [];
  for (const area of areas)
    seen.push(...(await storage.anomalies.ofArea(area.id)).map((anomaly) => ({ ...anomaly, area })));
  return judgeAnomalies(planted, rare, seen);
}

function accuracyOf(kind: EventKind, events: readonly JudgedEvent[]): KindAccuracy {
  const lags = events.flatMap(({ lagDays }) => lagDays ?? []).toSorted((a, b) => a - b);
  const found = events.filter(({ foundAs }) => foundAs !== null).length;
  return {
    kind,
    planted: events.length,
    found,
    producersAccuracy: shareOf(found, events.length),
    medianLagDays: lags[lags.length >> 1] ?? null,
  };
}

function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
