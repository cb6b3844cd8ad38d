import { isPresent, readJson } from '../data-set.ts';
import { follow } from '../engine.ts';
import { targetFigure, plainFigure, type AccuracySet, type Figure } from '../figure.ts';
import { readSlovenia, SLOVENIA_SET as SET } from '../sources/slovenia.ts';
import { DAY_MS } from '../../../src/base/time.ts';

const LEAST_PIXELS = 8; // minimum size of an object that counts: our target
const LEAST_SHARE = 0.5; // minimum share of the pixels of a change that must be found: our target
// A change must be dated at most this long after the first image that shows it: from 16 May to the end of August.
const SEASON_MS = 107 * DAY_MS;

interface Place {
  readonly rows: readonly [number, number];
  readonly cols: readonly [number, number];
}

/** A change in expected.json, which happened between two images. */
interface Change extends Place {
  readonly pixels: number;
  readonly last_normal: string;
  readonly first_low: string;
}

function within({ rows, cols }: Place, pixel: number, width: number): boolean {
  const row = Math.floor(pixel / width);
  const col = pixel % width;
  return row >= rows[0] && row <= rows[1] && col >= cols[0] && col <= cols[1];
}

async function measure(): Promise<Figure[]> {
  const stack = await readSlovenia();
  const expected = readJson(SET, 'expected.json') as {
    events: readonly Change[];
    not_events: readonly Place[];
  };
  const { objects } = follow(stack);
  const confirmed = objects.filter(({ confirmedMs }) => confirmedMs !== null);
  const inside = (pixels: Uint32Array, place: Place): number =>
    pixels.filter((pixel) => within(place, pixel, stack.width)).length;
  const changes = expected.events.map((change) => {
    const hits = confirmed.filter(({ pixels }) => inside(pixels, change) > 0);
    const [first] = hits;
    const covered = first === undefined ? 0 : inside(first.pixels, change);
    const when = first === undefined ? 'never' : new Date(first.firstAnomalyMs).toISOString().slice(0, 10);
    const holds =
      hits.length === 1 &&
      first!.status === 'confirmed' &&
      covered >= LEAST_SHARE * change.pixels &&
      first!.firstAnomalyMs >= Date.parse(change.last_normal) + DAY_MS &&
      first!.firstAnomalyMs <= Date.parse(change.first_low) + SEASON_MS;
    return targetFigure(
      `the change after ${change.last_normal}`,
      `${hits.length} object, ${covered} of its ${change.pixels} pixels, ${when}`,
      'one object, half of its pixels, from its first season',
      holds,
    );
  });
  const others = confirmed.filter(({ pixels }) =>
    expected.events.every((change) => inside(pixels, change) === 0),
  );
  const large = others.filter(({ pixels }) => pixels.length >= LEAST_PIXELS);
  const mown = confirmed.filter(({ pixels }) =>
    expected.not_events.some((place) => inside(pixels, place) > 0),
  );
  return [
    ...changes,
    targetFigure(
      'other confirmed changes of 8 pixels or more',
      String(large.length),
      '0',
      large.length === 0,
    ),
    targetFigure('confirmed on mown fields', String(mown.length), '0', mown.length === 0),
    plainFigure('other confirmed changes of any size', String(others.length)),
  ];
}

/** Sentinel-2 stack with real cloud masks, unmasked snow, one lasting change and four mown fields. */
export const SLOVENIA: AccuracySet = { name: SET, isPresent: () => isPresent(SET), measure };
