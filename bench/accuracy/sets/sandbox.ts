import type { ChangeObject } from '../../../src/change/object/objects.ts';
import { LIVE_FROM, type PlantedEvent } from '../../../src/sandbox/events.ts';
import { FIRST_DAY_MS } from '../../../src/sandbox/weather.ts';
import { DAY_MS } from '../../../src/base/time.ts';
import { countryside, overlap } from '../countryside.ts';
import { followAll } from '../engine.ts';
import { plainFigure, type AccuracySet, type Figure } from '../figure.ts';

const SEED = 7;
// Seeds of regions with other weather and ground, because false suspicions depend on where droughts occur.
const OTHER_SEEDS = [13, 21, 22, 23, 25];
const LASTING = 200; // minimum length of the record after an event [days] for its confirmation to be expected

function describe(event: PlantedEvent, objects: readonly ChangeObject[]): Figure {
  const begun = FIRST_DAY_MS + Math.min(...event.since) * DAY_MS;
  const isRecent = event.since.every((day) => day > LIVE_FROM - LASTING);
  const what = `${event.id}, ${event.pixels.length} pixels from ${new Date(begun).toISOString().slice(0, 10)}`;
  const hits = objects
    .map((object) => ({ object, shared: overlap(object, event) }))
    .filter(({ shared }) => shared > 0)
    .toSorted((a, b) => b.shared - a.shared);
  const [best] = hits;
  if (best === undefined) return plainFigure(what, isRecent ? 'nothing yet' : 'nothing');
  const { object, shared } = best;
  const union = event.pixels.length + object.pixels.length - shared;
  const days = (ms: number): string => `${Math.round((ms - begun) / DAY_MS)} d`;
  return plainFigure(
    what,
    `${object.type} ${object.status}, IoU ${(shared / union).toFixed(2)}, departs after ${days(object.firstAnomalyMs)}, ` +
      `reported after ${days(object.detectedMs)}, confidence ${object.confidence.toFixed(2)}, ${hits.length} objects`,
  );
}

/** Numbers of false claims in a region by status: change objects that share no pixel with a planted event. */
function falseClaims(seed: number): Figure {
  const { stack, events } = countryside(seed, ['ndvi', 'nbr', 'mndwi']);
  const falsely = followAll(stack).objects.filter((object) =>
    events.every((event) => overlap(object, event) === 0),
  );
  const count = (keep: (object: ChangeObject) => boolean): number => falsely.filter(keep).length;
  const pixels = falsely
    .filter(({ confirmedMs }) => confirmedMs !== null)
    .reduce((sum, object) => sum + object.pixels.length, 0);
  return plainFigure(
    `seed ${seed}, where nothing was planted`,
    `${count(({ status }) => status === 'suspected')} suspected at the end, ` +
      `${count(({ status }) => status === 'confirmed')} confirmed, ${count(({ status }) => status === 'recovered')} confirmed and taken back, ` +
      `both on ${pixels} pixels`,
  );
}

async function measure(): Promise<Figure[]> {
  const { stack, events } = countryside(SEED, ['ndvi', 'nbr', 'mndwi']);
  const claimed = followAll(stack).objects.filter(({ status }) => status !== 'rejected');
  const isTrue = (object: ChangeObject): boolean => events.some((event) => overlap(object, event) > 0);
  const falsely = claimed.filter((object) => object.confirmedMs !== null && !isTrue(object));
  const pixels = falsely.reduce((sum, object) => sum + object.pixels.length, 0);
  const share = (100 * pixels) / (stack.width * stack.height);
  const confidence = falsely.reduce((sum, object) => sum + object.confidence, 0) / falsely.length;
  return [
    ...OTHER_SEEDS.map(falseClaims),
    ...events.map((event) => describe(event, claimed)),
    plainFigure(
      'confirmed where nothing was planted',
      falsely.length === 0
        ? 'nothing'
        : `${falsely.length} objects, ${pixels} pixels, ${share.toFixed(2)} % of all, mean confidence ${confidence.toFixed(2)}`,
    ),
  ];
}

/**
 * Three years of whole simulated regions, with harvests, droughts and snow: all their pixels are followed and judged. The
 * planted events should be found, and nothing else.
 */
export const SANDBOX: AccuracySet = { name: 'sandbox', isPresent: () => true, measure };
