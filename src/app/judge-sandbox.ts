import { PERILS, type Peril } from '../contract/fields.ts';
import { mapGrid } from '../geo/grid.ts';
import { MODEL_VERSION } from '../monitor/parameters.ts';
import type { EventKind } from '../sandbox/events.ts';
import { SANDBOX_GRID } from '../sandbox/terrain.ts';
import { dateOfDay } from '../sandbox/weather.ts';
import { assessPlace } from './assess-risk.ts';
import { SANDBOX_COLLECTION, SANDBOX_MOTION } from './deliver-simulated.ts';
import type { Deps } from './deps.ts';
import { NotFound } from './errors.ts';
import {
  isOnEvent,
  judgeEvent,
  mapChange,
  type MappedChange,
  sharedPixels,
  type JudgedEvent,
} from './sandbox-truth.ts';

const PLACE_STEP = 10; // pixels between the places that risk is asked at

/** Events of one kind, and how many of them were found. */
export interface KindAccuracy {
  readonly kind: EventKind;
  readonly planted: number;
  readonly found: number;
  /** Share of them that were found; null where none was planted. */
  readonly producersAccuracy: number | null;
  readonly medianLagDays: number | null;
}

/** How one peril is answered over the land of the region. */
export interface PerilAnswers {
  readonly peril: Peril;
  readonly places: number;
  /** Places with a confidence above 0. */
  readonly answered: number;
  readonly meanConfidence: number;
}

/** What the service says of the simulated region, held against its truth. */
export interface SandboxJudgement {
  /** First day that has not been observed, YYYY-MM-DD. */
  readonly date: string;
  readonly modelVersion: string;
  readonly events: readonly JudgedEvent[];
  readonly accuracy: readonly KindAccuracy[];
  readonly claims: {
    /** Changes that stand confirmed, and those of them that lie on something planted. */
    readonly confirmed: number;
    readonly onEvents: number;
    /** Share by number and by area; null where nothing is claimed. */
    readonly usersAccuracy: number | null;
    readonly usersAccuracyByArea: number | null;
  };
  readonly risk: readonly PerilAnswers[];
}

/**
 * Holds what the service says of the simulated region against what was planted there.
 * @throws NotFound while there is no region, or its history is being made
 */
export async function judgeSandbox(
  deps: Pick<Deps, 'storage' | 'layers' | 'region'>,
): Promise<SandboxJudgement> {
  const { storage, region } = deps;
  const state = await storage.sandbox.read();
  if (state === undefined || state.readyAt === null)
    throw new NotFound('The simulated region is not ready: start the service with GROUNDWATCH_SANDBOX=on');
  const planted = (await region.events()).filter(({ since }) => Math.min(...since) < state.day);
  await region.close();
  const changes: MappedChange[] = [];
  for (const name of [SANDBOX_COLLECTION, SANDBOX_MOTION]) {
    for (const { id } of await storage.collections.byName('sandbox', null, name))
      changes.push(...(await storage.changes.ofCollection(id, MODEL_VERSION)).map(mapChange));
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
    risk: PERILS.map((peril) => answersOf(deps, peril)),
  };
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

/** Risk at places on land, evenly spread. */
function answersOf({ layers }: Pick<Deps, 'layers'>, peril: Peril): PerilAnswers {
  const map = mapGrid(SANDBOX_GRID);
  const snapshot = layers.snapshot('sandbox');
  let [places, answered, confidence] = [0, 0, 0];
  for (let row = PLACE_STEP / 2; row < SANDBOX_GRID.height; row += PLACE_STEP) {
    for (let col = PLACE_STEP / 2; col < SANDBOX_GRID.width; col += PLACE_STEP) {
      const [lng, lat] = map.toLngLat(col, row);
      const { assessment } = assessPlace(snapshot, { lat, lng, peril }, false);
      places++;
      if (assessment.confidence === 0) continue;
      answered++;
      confidence += assessment.confidence;
    }
  }
  return { peril, places, answered, meanConfidence: answered === 0 ? 0 : confidence / answered };
}

function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
