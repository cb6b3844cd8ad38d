// Worker thread that makes objects of a million rejected events of a large grid; it posts their number.
import { parentPort } from 'node:worker_threads';
import { DAY_MS } from '../../src/base/time.ts';
import { metricTraits } from '../../src/change/metric.ts';
import { changeObjects } from '../../src/change/object/objects.ts';
import { packEvents } from '../../src/change/pixel/pixel-events.ts';
import { confirmedEvent } from '../fixtures/pixel-event.ts';

const EVENTS = 1_000_000;
const EDGE = 3000; // pixels
const ROW_EVENTS = 1000; // in every third row; the first five touch, the others do not
const timesMs = Float64Array.from({ length: 40 }, (_, t) => t * 30 * DAY_MS);

const event = confirmedEvent(0, { status: 'rejected', confirmed: -1, rejected: 20 });

const one = packEvents([event]);
const scenes = new Int32Array(EVENTS * one.scenes.length);
const figures = new Float64Array(EVENTS * one.figures.length);
for (let i = 0; i < EVENTS; i++) {
  scenes.set(one.scenes, i * one.scenes.length);
  const [row, k] = [3 * Math.floor(i / ROW_EVENTS), i % ROW_EVENTS];
  scenes[i * one.scenes.length] = row * EDGE + (k < 5 ? k : 3 * k);
  figures.set(one.figures, i * one.figures.length);
}
const spec = { width: EDGE, height: EDGE, pixelAreaM2: 100, metric: 'ndvi', timesMs };
parentPort!.postMessage(changeObjects(spec, metricTraits('ndvi')!, { scenes, figures, metrics: 1 }).length);
