import { hash } from 'node:crypto';
import { InvalidInput, NotFound } from '../../src/base/errors.ts';
import type { SearchedCubes } from '../../src/app/changes/search/searched-cubes.ts';
import type {
  CubeAddress,
  CubeScene,
  CubeSpec,
  CubeStore,
  CubeStrip,
  Samples,
} from '../../src/app/series/cube-store.ts';
import type { SavedState, SavedStateWriter } from '../../src/app/changes/search/saved-state.ts';
import { checkSpec, INT16_MISSING, storedBytes } from '../../src/cube/sample-layout.ts';

interface MemoryScene extends CubeScene {
  readonly samples: Samples;
}

interface MemoryCube {
  readonly spec: CubeSpec;
  readonly scenes: Map<string, MemoryScene>;
}

/** Opens copies of the cubes of another thread, as they were when that thread sent their address. */
export function openCubes(cubes: Map<string, MemoryCube>): SearchedCubes {
  return new MemoryCubeStore(cubes);
}

/** Cube store in memory, for tests and as a reference for the folder store. It does not store monitoring states. */
export class MemoryCubeStore implements CubeStore, SearchedCubes {
  readonly #cubes: Map<string, MemoryCube>;

  constructor(cubes = new Map<string, MemoryCube>()) {
    this.#cubes = cubes;
  }

  get address(): CubeAddress {
    return { module: import.meta.url, at: this.#cubes };
  }

  async create(cubeId: string, spec: CubeSpec): Promise<void> {
    checkSpec(spec);
    const known = this.#cubes.get(cubeId)?.spec;
    if (known === undefined) {
      this.#cubes.set(cubeId, { spec: { ...spec }, scenes: new Map() });
    } else if (
      known.width !== spec.width ||
      known.height !== spec.height ||
      known.sampleType !== spec.sampleType
    ) {
      throw new InvalidInput(`the cube ${cubeId} has another shape or sample type`);
    }
  }

  async append(
    cubeId: string,
    scene: { readonly key: string; readonly timeMs: number },
    samples: Samples,
  ): Promise<{ readonly sha256: string; readonly added: boolean }> {
    const { spec, scenes } = this.#cube(cubeId);
    const sha256 = hash('sha256', storedBytes(spec, samples), 'hex');
    const known = scenes.get(scene.key);
    if (known?.sha256 === sha256 && known.timeMs === scene.timeMs) return { sha256, added: false };
    scenes.set(scene.key, { key: scene.key, timeMs: scene.timeMs, sha256, samples: shared(samples) });
    return { sha256, added: true };
  }

  async scenes(cubeId: string): Promise<readonly CubeScene[]> {
    return this.#sorted(cubeId).map(({ key, timeMs, sha256 }) => ({ key, timeMs, sha256 }));
  }

  async readStrip(cubeId: string, from: number, to: number): Promise<CubeStrip> {
    const { spec } = this.#cube(cubeId);
    if (!(0 <= from && from <= to && to <= spec.width * spec.height))
      throw new RangeError('pixels out of range');
    const sorted = this.#sorted(cubeId);
    const length = (to - from) * sorted.length;
    const values = spec.sampleType === 'float64' ? new Float64Array(length) : new Float32Array(length);
    for (let p = from; p < to; p++) {
      for (const [t, { samples }] of sorted.entries()) {
        values[(p - from) * sorted.length + t] = sampleOf(spec, samples[p]!);
      }
    }
    return { scenes: await this.scenes(cubeId), values };
  }

  async readSamples(
    cubeId: string,
    from: number,
    to: number,
    into: Int16Array,
  ): Promise<readonly CubeScene[]> {
    if (this.#cube(cubeId).spec.sampleType !== 'int16') throw new RangeError('not an int16 cube');
    const { scenes, values } = await this.readStrip(cubeId, from, to);
    if (into.length === values.length)
      into.set(values.map((value) => (Number.isNaN(value) ? INT16_MISSING : value)));
    return scenes;
  }

  async readScene(cubeId: string, key: string, from: number, to: number): Promise<Float32Array | undefined> {
    const { spec, scenes } = this.#cube(cubeId);
    const samples = scenes.get(key)?.samples.subarray(from, to);
    return samples && Float32Array.from(samples, (raw) => sampleOf(spec, raw));
  }

  async removeScenes(cubeId: string, keys: readonly string[]): Promise<readonly string[]> {
    const { scenes } = this.#cube(cubeId);
    return keys.filter((key) => scenes.delete(key));
  }

  async remove(cubeId: string): Promise<void> {
    this.#cubes.delete(cubeId);
  }

  async check(): Promise<readonly string[]> {
    return [];
  }

  async repair(cubeId: string, spec: CubeSpec): Promise<readonly string[]> {
    if (!this.#cubes.has(cubeId)) await this.create(cubeId, spec);
    return [];
  }

  async openState(): Promise<SavedState | undefined> {
    return undefined;
  }

  writeState(cubeId: string): Promise<SavedStateWriter> {
    return Promise.reject(new Error(`the cube ${cubeId} is in memory, which keeps no state`));
  }

  openUnit(): Promise<SavedState | undefined> {
    return this.openState();
  }

  writeUnit(cubeId: string): Promise<SavedStateWriter> {
    return this.writeState(cubeId);
  }

  async unitsOf(): Promise<readonly string[]> {
    return [];
  }

  async dropUnits(): Promise<void> {}

  async close(): Promise<void> {}

  #cube(cubeId: string): MemoryCube {
    const cube = this.#cubes.get(cubeId);
    if (cube === undefined) throw new NotFound(`there is no cube ${cubeId}`);
    return cube;
  }

  #sorted(cubeId: string): readonly MemoryScene[] {
    return [...this.#cube(cubeId).scenes.values()].sort(
      (a, b) => a.timeMs - b.timeMs || (a.key < b.key ? -1 : Number(a.key > b.key)),
    );
  }
}

function sampleOf({ sampleType }: CubeSpec, raw: number): number {
  return sampleType === 'int16' && raw === INT16_MISSING ? Number.NaN : raw;
}

/** Copies samples to memory that threads can share. */
function shared(samples: Samples): Samples {
  const memory = new SharedArrayBuffer(samples.byteLength);
  const copy = new (samples.constructor as new (memory: SharedArrayBuffer) => Samples)(memory);
  copy.set(samples);
  return copy;
}
