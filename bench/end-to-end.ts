/**
 * A stack of 512 x 512 pixels and 100 scenes with 40 planted losses, from one file to published changes that the API
 * lists: with the service and `ingest stack` as they are published, and with the public library nrt (CuSum and EWMA: read, fit to 60 scenes,
 * 40 updates, polygons) from the same file. Prints for each processor time, peak memory, and how many planted losses and
 * how many other places it found. GROUNDWATCH_BENCH_PYTHON names a Python with nrt and rasterio, GROUNDWATCH_BENCH_EDGE
 * another edge [pixels].
 */
import { spawnSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Agent, request } from 'undici';
import {
  EDGE,
  GRID,
  HISTORY,
  type PlantedLoss,
  type PlantedStack,
  SCENES,
  writePlantedStack,
} from './end-to-end/planted-stack.ts';
import { endedChildrenS, filePagesMb, peakMb, restartPeak, treeS } from './service/process-cost.ts';
import { output, type RunningService, startService } from './service/running-service.ts';
import { GridMap } from '../src/geo/grid.ts';
import { testProgram } from '../scripts/test/program.ts';

/** Pixels that a found place covers, inclusive. */
type Box = readonly [firstColumn: number, firstRow: number, lastColumn: number, lastRow: number];

interface Outcome {
  readonly name: string;
  readonly processorS: number;
  readonly wallS: number;
  readonly peakMb: number;
  readonly boxes: readonly Box[];
  readonly note: string;
}

/** Smallest place that counts [pixels]: the smallest change that the monitor states. */
const LEAST_PIXELS = 3;
const LOOK_MS = 50;
/** A service rests when it takes less than this share of a processor for some seconds. */
const RESTING = 0.1;
const REST_S = 3;
const MOST_REST_S = 180;
const POLYGON_MARGIN = 0.01; // degrees around the stack

/**
 * Waits until a service has done the work that it puts off at its start, such as making the files of the shipped layers.
 * @returns the processor time of this work [s]
 */
async function atRest(pid: number): Promise<number> {
  const first = treeS(pid);
  let before = first;
  for (let quiet = 0, waited = 0; quiet < REST_S && waited < MOST_REST_S; waited++) {
    await setTimeout(1000);
    const now = treeS(pid);
    quiet = now - before < RESTING ? quiet + 1 : 0;
    before = now;
  }
  return before - first;
}

/**
 * Runs the service and ingests the stack as a user does. The time and memory of starting the service, with the work that
 * it puts off, are not counted.
 */
async function ours(service: RunningService, stack: PlantedStack): Promise<Outcome> {
  const { base, key, ca, command, pid } = service;
  const dispatcher = new Agent({ connect: { ca } });
  const call = async (path: string, body?: object): Promise<unknown> => {
    const answer = await request(`${base}${path}`, {
      dispatcher,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.statusCode} ${text}`);
    return JSON.parse(text);
  };
  const map = new GridMap({ ...GRID });
  const corners = [
    [0, 0],
    [EDGE, 0],
    [EDGE, EDGE],
    [0, EDGE],
  ].map(([column, row]) => map.toLngLat(column!, row!));
  const [lngs, lats] = [corners.map(([lng]) => lng), corners.map(([, lat]) => lat)];
  const [west, east] = [Math.min(...lngs) - POLYGON_MARGIN, Math.max(...lngs) + POLYGON_MARGIN];
  const [south, north] = [Math.min(...lats) - POLYGON_MARGIN, Math.max(...lats) + POLYGON_MARGIN];
  const ring = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  const { id } = (await call('/v1/aois', {
    name: 'planted losses',
    geometry: { type: 'Polygon', coordinates: [ring] },
  })) as { readonly id: string };
  const args = [
    '--collection',
    'planted',
    '--metric',
    'ndvi',
    '--values',
    stack.values,
    '--dates',
    stack.dates,
  ];
  const startMb = peakMb(pid);
  restartPeak(pid);
  const [before, ended, begun] = [treeS(pid), endedChildrenS(), performance.now()];
  const ingest = command('ingest', 'stack', ...args, '--json');
  let [peak, pages] = [0, 0];
  const timer = setInterval(() => {
    peak = Math.max(peak, peakMb(ingest.pid!) || 0);
    pages = Math.max(pages, filePagesMb(ingest.pid!) || 0);
  }, LOOK_MS);
  await output(ingest);
  clearInterval(timer);
  const wallS = (performance.now() - begun) / 1000;
  const [commandS, serviceS] = [endedChildrenS() - ended, treeS(pid) - before];
  const boxes: Box[] = [];
  let cursor: string | null = null;
  do {
    const page = new URLSearchParams({ aoi_id: id, f: 'geojson', limit: '100' });
    if (cursor !== null) page.set('cursor', cursor);
    const list = (await call(`/v1/changes?${page.toString()}`)) as {
      readonly features: readonly { readonly geometry: { readonly coordinates: unknown } }[];
      readonly next_cursor?: string | null;
    };
    for (const { geometry } of list.features) boxes.push(boxOf(map, geometry.coordinates));
    cursor = list.next_cursor ?? null;
  } while (cursor !== null);
  await dispatcher.close();
  return {
    name: 'groundwatch, service and ingest stack',
    processorS: commandS + serviceS,
    wallS,
    peakMb: peak + peakMb(pid),
    boxes,
    note: `command ${commandS.toFixed(1)} s and ${peak.toFixed(0)} MB, service and PostgreSQL ${serviceS.toFixed(1)} s, service ${peakMb(pid).toFixed(0)} MB (at its start ${startMb.toFixed(0)}); pages of files ${pages.toFixed(0)} and ${filePagesMb(pid).toFixed(0)} of these, mostly the same`,
  };
}

/** Pixels that the box of a polygon or of several covers. */
function boxOf(map: GridMap, coordinates: unknown): Box {
  const points: (readonly [number, number])[] = [];
  const walk = (part: unknown): void => {
    const parts = part as readonly unknown[];
    if (typeof parts[0] === 'number') points.push(map.toPixel(parts[0], parts[1] as number));
    else for (const each of parts) walk(each);
  };
  walk(coordinates);
  const [columns, rows] = [points.map(([column]) => column), points.map(([, row]) => row)];
  return [
    Math.round(Math.min(...columns)),
    Math.round(Math.min(...rows)),
    Math.round(Math.max(...columns)) - 1,
    Math.round(Math.max(...rows)) - 1,
  ];
}

/** Runs a method of nrt twice, so that the second run finds its compiled code. Null when nrt is not installed. */
function theirs(stack: PlantedStack, method: string): Outcome | null {
  const python = process.env['GROUNDWATCH_BENCH_PYTHON'] ?? 'python3';
  if (spawnSync(python, ['-c', 'import nrt.monitor.cusum, rasterio']).status !== 0) return null;
  const script = join(import.meta.dirname, 'end-to-end', 'nrt_end_to_end.py');
  const args = ['-W', 'ignore', script, stack.values, stack.dates, String(HISTORY), method];
  const run = (): { readonly [key: string]: number } & { readonly found: readonly number[][] } => {
    const { status, stdout } = spawnSync(python, args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
      maxBuffer: 2 ** 28,
    });
    if (status !== 0) throw new Error(`nrt_end_to_end.py ended with ${status}`);
    return JSON.parse(stdout.trim().split('\n').at(-1)!);
  };
  run();
  const told = run();
  return {
    name: `nrt ${told['version']}, ${method}`,
    processorS: told['processorS']!,
    wallS: told['wallS']!,
    peakMb: told['peakMb']!,
    boxes: told.found
      .filter(([pixels]) => pixels! >= LEAST_PIXELS)
      .map(([, ...box]) => box as unknown as Box),
    note: `${told['importS']!.toFixed(1)} s of them imports`,
  };
}

function touches({ column, row, edge }: PlantedLoss, [left, top, right, bottom]: Box): boolean {
  return left < column + edge && right >= column && top < row + edge && bottom >= row;
}

function tell(outcome: Outcome, { losses }: PlantedStack): void {
  const { name, processorS, wallS, peakMb: peak, boxes, note } = outcome;
  const found = losses.filter((loss) => boxes.some((box) => touches(loss, box))).length;
  const others = boxes.filter((box) => !losses.some((loss) => touches(loss, box))).length;
  console.log(
    `${name.padEnd(38)} ${processorS.toFixed(1).padStart(6)} s CPU ${wallS.toFixed(1).padStart(6)} s ${peak.toFixed(0).padStart(6)} MB  found ${found} of ${losses.length}, ${others} elsewhere; ${note}`,
  );
}

const load = loadavg()[0]!.toFixed(1);
const program = await testProgram(join(import.meta.dirname, '..'));
const service = await startService({ program });
try {
  const stack = await writePlantedStack(service.folder);
  console.log(`${EDGE} x ${EDGE} pixels, ${SCENES} scenes, Node ${process.version}, load ${load}`);
  console.log(`put off by the service at its start: ${(await atRest(service.pid)).toFixed(1)} s CPU`);
  const own = await ours(service, stack);
  tell(own, stack);
  for (const method of ['CuSum', 'EWMA']) {
    const peer = theirs(stack, method);
    if (peer === null) {
      console.log('nrt is not installed: GROUNDWATCH_BENCH_PYTHON names a Python that has it');
      break;
    }
    tell(peer, stack);
    console.log(
      `  of nrt: processor time ${(own.processorS / peer.processorS).toFixed(2)} (budget 1), memory ${(own.peakMb / peer.peakMb).toFixed(2)} (budget .5)`,
    );
  }
} finally {
  await service.stop();
}
console.log(`load ${loadavg()[0]!.toFixed(1)} at the end`);
