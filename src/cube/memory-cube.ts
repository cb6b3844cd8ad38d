import { hash } from 'node:crypto';
import { InvalidInput, NotFound } from '../app/errors.ts';
import type { CubeScene, CubeSpec, CubeStore, CubeStrip, Samples } from '../app/ports.ts';
import type { SavedState, StateWriter } from '../app/saved-state.ts';
import { checkSpec, INT16_MISSING, storedBytes } from './sample-layout.ts';

interface MemoryScene extends CubeScene {
  readonly samples: Samples;
}

interface MemoryCube {
  readonly spec: CubeSpec;
  readonly scenes: Map<string, MemoryScene>;
}

/** Cubes in memory: what the folder store must equal, and what tests of its users run on. */
export class MemoryCubeStore implements CubeStore {
  readonly #cubes = new Map<string, MemoryCube>();
  readonly #states = new Map<string, SavedState>();

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
    scenes.set(scene.key, { key: scene.key, timeMs: scene.timeMs, sha256, samples: samples.slice() });
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
        const raw = samples[p]!;
        const missing = spec.sampleType === 'int16' && raw === INT16_MISSING;
        values[(p - from) * sorted.length + t] = missing ? Number.NaN : raw;
      }
    }
    return { scenes: await this.scenes(cubeId), values };
  }

  async removeScenes(cubeId: string, keys: readonly string[]): Promise<readonly string[]> {
    const { scenes } = this.#cube(cubeId);
    return keys.filter((key) => scenes.delete(key));
  }

  async remove(cubeId: string): Promise<void> {
    this.#cubes.delete(cubeId);
    this.#states.delete(cubeId);
  }

  async check(): Promise<readonly string[]> {
    return [];
  }

  async repair(cubeId: string, spec: CubeSpec): Promise<readonly string[]> {
    if (!this.#cubes.has(cubeId)) await this.create(cubeId, spec);
    return [];
  }

  async openState(cubeId: string): Promise<SavedState | undefined> {
    return this.#states.get(cubeId);
  }

  async writeState(cubeId: string): Promise<StateWriter> {
    this.#cube(cubeId);
    const parts = new Map<string, Uint8Array<ArrayBuffer>>();
    return {
      add: async (name, bytes) => void parts.set(name, bytes.slice()),
      commit: async (heading) => {
        const part = async (name: string): Promise<Uint8Array<ArrayBuffer>> => {
          const bytes = parts.get(name);
          if (bytes === undefined) throw new RangeError(`the saved state has no part ${name}`);
          return bytes.slice();
        };
        this.#states.set(cubeId, { heading, part, close: async () => {} });
      },
      discard: async () => {},
    };
  }

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
