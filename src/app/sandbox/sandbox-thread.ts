// Worker thread that sandbox-region.ts starts: simulates the region and answers calls one after the other.
import { parentPort, workerData } from 'node:worker_threads';
import { Satellite } from '../../sandbox/acquisition.ts';
import type { PlantedEvent } from '../../sandbox/events.ts';
import { type RegionLayer, regionLayers } from '../../sandbox/hazards.ts';
import { indexScene, type IndexScene } from '../../sandbox/imagery.ts';
import { multilooked } from '../../sandbox/motion.ts';
import { type PastFire, pastFires, pastWeather, yearlyGusts } from '../../sandbox/past.ts';
import { type SiteSeries, stationSeries } from '../../sandbox/stations.ts';
import { FIRST_DAY_MS } from '../../sandbox/weather.ts';
import { DAY_MS } from '../../base/time.ts';
import { makeWorld, SANDBOX_DAYS } from '../../sandbox/world.ts';
import { lowerThreadPriority } from '../../base/thread-priority.ts';
import type { GustRecord } from '../layers/derive/derive-gust-records.ts';
import type { StationWeather } from '../layers/derive/weather-record-reader.ts';

/** The records of a weather station from the years before the first simulated day. */
export interface PastStation extends Omit<GustRecord, 'station'> {
  readonly key: string;
  readonly weather: StationWeather;
}

/** Calls that the thread answers. */
export interface SandboxCalls {
  /** Days in `[from, to)` with a delivered pass. */
  deliveredPasses(from: number, to: number): readonly number[];
  scene(day: number): IndexScene;
  /** Vertical displacement since the first simulated day [mm], up positive; row-major on RADAR_GRID, NaN on water. */
  displacement(day: number): Float32Array;
  /** Observations of the stations on days `[from, to)`. */
  observations(from: number, to: number): readonly SiteSeries[];
  /** Maps of the ground and the water of the region. */
  layers(): readonly RegionLayer[];
  pastWeather(): readonly PastStation[];
  pastFires(): readonly PastFire[];
  /** The planted events. */
  events(): readonly PlantedEvent[];
}

/** Message to the thread: one call. */
export interface Asked {
  readonly id: number;
  readonly call: keyof SandboxCalls;
  readonly args: readonly number[];
}
/** Message from the thread: the result of a call. */
export interface Answered {
  readonly id: number;
  readonly answer: unknown;
}

const port = parentPort!;
lowerThreadPriority();
const seed = workerData as number;
const world = makeWorld(seed, SANDBOX_DAYS);
const satellite = new Satellite(world);

const CALLS: SandboxCalls = {
  deliveredPasses: (from, to) => satellite.deliveredPasses(from, to),
  scene: (day) => indexScene(satellite.take(day), world.ground),
  displacement: (day) => multilooked(world, day),
  observations: (from, to) => stationSeries(world, from, to),
  layers: () => regionLayers(world),
  pastWeather: () => pastWeather(world).map(pastStation),
  pastFires: () => pastFires(seed, world.ground),
  events: () => world.events,
};

function pastStation(past: ReturnType<typeof pastWeather>[number]): PastStation {
  const { site, lng, lat, days, weather } = past;
  const column = (value: (day: (typeof weather)[number]) => number) => Float64Array.from(weather, value);
  const temperatureC = column((day) => day.temperatureC);
  return {
    key: site.key,
    lng,
    lat,
    maxima: yearlyGusts(past),
    weather: {
      lat,
      lng,
      days: days.map((day) => day + FIRST_DAY_MS / DAY_MS),
      temperatureC,
      maximumC: temperatureC,
      relativeHumidity: column((day) => day.humidity),
      windKmh: column((day) => day.windKmh),
      rainMm: column((day) => day.rainMm),
      snowDepthM: null,
      proxies: [],
    },
  };
}

/** Returns the buffers that only this answer uses. They can be transferred to the caller instead of copied. */
function transferable(call: keyof SandboxCalls, answer: unknown): ArrayBuffer[] {
  if (call === 'displacement') return [(answer as Float32Array<ArrayBuffer>).buffer];
  if (call !== 'scene') return [];
  const { indices, sceneClass } = answer as IndexScene;
  return [...indices, sceneClass].map(({ buffer }) => buffer as ArrayBuffer);
}

port.on('message', ({ id, call, args }: Asked) => {
  const answer = (CALLS[call] as (...args: readonly number[]) => unknown)(...args);
  const answered: Answered = { id, answer };
  port.postMessage(answered, transferable(call, answer));
});
