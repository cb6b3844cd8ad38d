import type { SearchedCubes } from '../app/changes/search/searched-cubes.ts';
import type { GridSize, SceneAt } from '../app/pictures/picture-maker.ts';
import type { GridWindow } from '../geo/grid-window.ts';

/** Pixels of one kept part of a scene. A whole scene of 1,000 by 1,000 pixels is one part. */
const PART_PIXELS = 1_048_576;
/** Size of the parts that a thread keeps [bytes]: 64 MiB. */
const KEPT_BYTES = 64 * 1024 * 1024;

/**
 * Reads windows of scenes. Parts of scenes that were read are kept, since a strip of the cube holds all dates of its
 * pixels, and its expansion for one date takes as long as for all.
 */
export class SceneSamples {
  readonly #cubes: SearchedCubes;
  readonly #parts = new Map<string, Float32Array>();
  #bytes = 0;

  constructor(cubes: SearchedCubes) {
    this.#cubes = cubes;
  }

  /**
   * Reads every `step`-th column and row of a window that lies on the grid.
   * @returns raw samples, row-major, NaN where nothing was observed; null when the scene is not in the cube
   */
  async window(
    scene: SceneAt,
    grid: GridSize,
    { col, row, width, height }: GridWindow,
    step: number,
  ): Promise<Float32Array | null> {
    const [columns, rows] = [Math.ceil(width / step), Math.ceil(height / step)];
    const out = new Float32Array(columns * rows);
    const partRows = Math.max(1, Math.floor(PART_PIXELS / grid.width));
    for (let r = 0; r < rows; r++) {
      const at = row + r * step;
      const first = at - (at % partRows);
      const samples = await this.#part(scene, grid, first, Math.min(first + partRows, grid.height));
      if (samples === null) return null;
      const from = (at - first) * grid.width + col;
      for (let c = 0; c < columns; c++) out[r * columns + c] = samples[from + c * step]!;
    }
    return out;
  }

  /** Rows `[first, end)` of a scene. */
  async #part(
    { cubeId, key, sha256 }: SceneAt,
    { width }: GridSize,
    first: number,
    end: number,
  ): Promise<Float32Array | null> {
    const name = `${cubeId} ${sha256} ${first}`;
    const known = this.#parts.get(name);
    const samples = known ?? (await this.#cubes.readScene(cubeId, key, first * width, end * width));
    if (samples === undefined) return null;
    this.#keep(name, samples);
    return samples;
  }

  #keep(name: string, samples: Float32Array): void {
    this.#bytes += samples.byteLength - (this.#parts.get(name)?.byteLength ?? 0);
    this.#parts.delete(name);
    this.#parts.set(name, samples);
    for (const [oldest, { byteLength }] of this.#parts) {
      if (this.#bytes <= KEPT_BYTES) break;
      this.#parts.delete(oldest);
      this.#bytes -= byteLength;
    }
  }
}
