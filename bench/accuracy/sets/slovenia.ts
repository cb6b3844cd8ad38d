import { isPresent, readBands, readJson } from '../data-set.ts';
import { follow } from '../engine.ts';
import { judged, told, type AccuracySet, type Figure } from '../figure.ts';
import { readNdviStack } from './tura.ts';

const SET = 'slovenia-sentinel2-ndvi';
const PIXEL_AREA_M2 = 100; // Sentinel-2, 10 m
const LEAST_PIXELS = 8; // of an object that counts: our target
const FROM_MS = Date.parse('2015-09-09T23:59:59Z'); // the last normal view: expected.json
const TO_MS = Date.parse('2016-08-31'); // end of the first summer that shows it

interface Place {
  readonly rows: readonly [number, number];
  readonly cols: readonly [number, number];
}

function within({ rows, cols }: Place, pixel: number, width: number): boolean {
  const row = Math.floor(pixel / width);
  const col = pixel % width;
  return row >= rows[0] && row <= rows[1] && col >= cols[0] && col <= cols[1];
}

async function measure(): Promise<Figure[]> {
  const stack = await readNdviStack(SET, 'ndvi.tif', PIXEL_AREA_M2);
  const clouds = await readBands(SET, 'cloud_mask.tif');
  const times = stack.timesMs.length;
  const ndvi = stack.metrics['ndvi']!;
  for (let i = 0; i < ndvi.length; i++)
    if (clouds.bands[i % times]![Math.floor(i / times)] !== 0) ndvi[i] = Number.NaN;
  const expected = readJson(SET, 'expected.json') as {
    events: readonly [Place];
    not_events: readonly Place[];
  };
  const { objects } = follow(stack);
  const confirmed = objects.filter(({ confirmedMs }) => confirmedMs !== null);
  const inside = (pixels: Uint32Array, place: Place): number =>
    pixels.filter((pixel) => within(place, pixel, stack.width)).length;
  const [built] = expected.events;
  const hits = confirmed.filter(({ pixels }) => inside(pixels, built) > 0);
  const first = hits[0];
  const holds =
    hits.length === 1 &&
    first!.status === 'confirmed' &&
    inside(first!.pixels, built) >= LEAST_PIXELS &&
    first!.firstAnomalyMs > FROM_MS &&
    first!.firstAnomalyMs <= TO_MS;
  const others = confirmed.filter((object) => !hits.includes(object));
  const large = others.filter(({ pixels }) => pixels.length >= LEAST_PIXELS);
  const mown = confirmed.filter(({ pixels }) =>
    expected.not_events.some((place) => inside(pixels, place) > 0),
  );
  const when = first === undefined ? '' : new Date(first.firstAnomalyMs).toISOString().slice(0, 10);
  return [
    judged(
      'the built-up change',
      `${hits.length} object, ${first === undefined ? 0 : inside(first.pixels, built)} of its 15 pixels, ${when}`,
      'one object, at least 8 pixels, from its first summer',
      holds,
    ),
    judged('other confirmed changes of 8 pixels or more', String(large.length), '0', large.length === 0),
    judged('confirmed on mown fields', String(mown.length), '0', mown.length === 0),
    told('other confirmed changes of any size', String(others.length)),
  ];
}

/** Sentinel-2 with real cloud masks, snow that they miss, one lasting change, four mown fields. */
export const SLOVENIA: AccuracySet = { name: SET, isPresent: () => isPresent(SET), measure };
