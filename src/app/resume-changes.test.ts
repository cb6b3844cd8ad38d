import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FoundChange } from './find-changes.ts';
import { resumeChanges } from './resume-changes.ts';
import type { SavedState, StateStore } from './saved-state.ts';

const DAY_MS = 86_400_000;
const [WIDTH, HEIGHT, TIMES] = [16, 12, 48];
const METRICS = ['ndvi', 'nbr'];

/** A number in [0, 1) for two whole ones. */
function noise(a: number, b: number): number {
  const mixed = Math.imul(a ^ (b * 0x9e3779b1), 0x85ebca6b);
  return ((Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35) >>> 8) % 65_536) / 65_536;
}

/** Four years of a scene a month; a corner is cleared after two and a half, another is low for some months. */
function valueAt(metric: number, pixel: number, t: number): number {
  if (noise(pixel + 7, t) < 0.2) return Number.NaN;
  const [row, column] = [Math.floor(pixel / WIDTH), pixel % WIDTH];
  const isCleared = t >= 30 && row < 5 && column < 5;
  const isLow = t >= 26 && t < 32 && row > 6 && column > 10;
  const season = 600 * Math.cos((2 * Math.PI * t) / 12.17);
  const level = (metric === 0 ? 6500 : 4500) + season - (isCleared || isLow ? 4000 : 0);
  return Math.round(level + 300 * (noise(pixel + 1_000_003 * metric, t) - 0.5));
}

/** States in memory, and which of their parts were read. */
class States implements StateStore {
  saved: { heading: string; parts: Map<string, Uint8Array<ArrayBuffer>> } | undefined;
  readonly read: string[] = [];
  isFull = false;

  async openState(): Promise<SavedState | undefined> {
    const { saved } = this;
    return (
      saved && {
        heading: saved.heading,
        part: async (name) => {
          this.read.push(name);
          return saved.parts.get(name)!.slice();
        },
        close: async () => {},
      }
    );
  }

  async writeState(): ReturnType<StateStore['writeState']> {
    const parts = new Map<string, Uint8Array<ArrayBuffer>>();
    return {
      add: async (name, bytes) => {
        if (this.isFull) throw new Error('no space left');
        parts.set(name, bytes.slice());
      },
      commit: async (heading) => void (this.saved = { heading, parts }),
      discard: async () => {},
    };
  }
}

/** A run over some of the scenes. */
function run(
  states: StateStore,
  scenes: readonly number[],
  about = 'this software',
): Promise<readonly FoundChange[]> {
  const times = scenes.length;
  return resumeChanges(
    {
      states,
      cubeId: 'c',
      basis: { about, moments: scenes.map((t) => `scene ${t}`) },
      stack: {
        spec: {
          width: WIDTH,
          height: HEIGHT,
          pixelAreaM2: 400,
          metric: 'ndvi',
          timesMs: Float64Array.from(scenes, (t) => Date.UTC(2020, 0, 5) + t * 30 * DAY_MS),
        },
        series: METRICS.map((metric) => ({
          metric,
          scale: 1e-4,
          offset: 0,
          sceneCount: times,
          at: Int32Array.from({ length: times }, (_, i) => i),
        })),
      },
      read: async (metric, from, to) =>
        Float64Array.from({ length: (to - from) * times }, (_, i) =>
          valueAt(metric, from + Math.floor(i / times), scenes[i % times]!),
        ),
    },
    { progress: () => undefined, threads: 1 },
  );
}

const ALL = Array.from({ length: TIMES }, (_, t) => t);
const replays = new Map<string, Promise<readonly FoundChange[]>>();
function replay(scenes: readonly number[]): Promise<readonly FoundChange[]> {
  const known = replays.get(scenes.join()) ?? run(new States(), scenes);
  replays.set(scenes.join(), known);
  return known;
}

test('a run that goes on from where the one before left it finds what a run from the first scene finds', async () => {
  const states = new States();
  for (const count of [28, 33, TIMES]) {
    const scenes = ALL.slice(0, count);
    states.read.length = 0;
    assert.deepEqual(await run(states, scenes), await replay(scenes), `${count} scenes`);
    assert.equal(states.read.length > 0, count > 28, `${count} scenes: what was saved is read`);
  }
  const found = await run(states, ALL);
  assert.deepEqual(found, await replay(ALL), 'nothing new');
  assert.ok(found.some(({ status, type }) => status === 'confirmed' && type === 'vegetation_loss'));
});

test('a scene that came late, was replaced or is gone, or other software, begins with the first scene', async () => {
  const states = new States();
  const late = ALL.filter((t) => t !== 11 && t !== 40);
  await run(states, late.slice(0, -2));
  const before = states.saved;
  for (const [scenes, about] of [
    [ALL.filter((t) => t !== 40), 'this software'],
    [late.toSpliced(20, 1), 'this software'],
    [late, 'other software'],
  ] as const) {
    states.saved = before;
    states.read.length = 0;
    assert.deepEqual(await run(states, scenes, about), await replay(scenes));
    assert.deepEqual(states.read, []);
  }
});

test('a state that is damaged in any part is passed over', async () => {
  const states = new States();
  await run(states, ALL.slice(0, 40));
  const { heading, parts } = states.saved!;
  const expected = await replay(ALL);
  assert.ok(parts.size > 2);
  for (const name of ['contexts 0', 'follow 0+1 0']) {
    const damaged = new Map(parts);
    const bytes = parts.get(name)!.slice();
    bytes[bytes.length >> 1]! ^= 16;
    damaged.set(name, bytes);
    states.saved = { heading, parts: damaged };
    assert.deepEqual(await run(states, ALL), expected, name);
  }
});

test('where no state can be saved the run is none the worse, and the state before stays', async () => {
  const states = new States();
  await run(states, ALL.slice(0, 40));
  const before = states.saved;
  states.isFull = true;
  assert.deepEqual(await run(states, ALL), await replay(ALL));
  assert.equal(states.saved, before);
});
