import type { SearchedCubes } from '../app/changes/search/searched-cubes.ts';
import type { GridSize, SceneAt } from '../app/pictures/picture-maker.ts';
import type { GridWindow } from '../geo/grid-window.ts';

/** Side of the parts of a scene that are kept [pixels]. */
const SIDE = 1024;
/** Size of the parts that a thread keeps [bytes]: 64 MiB. */
const KEPT_BYTES = 64 * 1024 * 1024;

/** Columns `[left, right)` and rows `[top, bottom)` of a grid. */
interface Part {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

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
    for (let top = row - (row % SIDE); top < row + height; top += SIDE)
      for (let left = col - (col % SIDE); left < col + width; left += SIDE) {
        const [right, bottom] = [Math.min(left + SIDE, grid.width), Math.min(top + SIDE, grid.height)];
        const samples = await this.#part(scene, grid, { left, top, right, bottom });
        if (samples === null) return null;
        const firstRow = Math.ceil(Math.max(0, top - row) / step);
        const firstColumn = Math.ceil(Math.max(0, left - col) / step);
        for (let r = firstRow; r < rows && row + r * step < bottom; r++) {
          const from = (row + r * step - top) * (right - left) + col - left;
          for (let c = firstColumn; c < columns && col + c * step < right; c++)
            out[r * columns + c] = samples[from + c * step]!;
        }
      }
    return out;
  }

  /** A part of a scene. Of a grid that is wider than a part, it is read row by row. */
  async #part(
    { cubeId, key, sha256 }: SceneAt,
    grid: GridSize,
    { left, top, right, bottom }: Part,
  ): Promise<Float32Array | null> {
    const name = `${cubeId} ${sha256} ${left} ${top}`;
    let samples = this.#parts.get(name);
    if (samples === undefined) {
      const width = right - left;
      const read = (from: number, to: number) => this.#cubes.readScene(cubeId, key, from, to);
      if (width === grid.width) samples = await read(top * width, bottom * width);
      else {
        samples = new Float32Array(width * (bottom - top));
        for (let row = top; row < bottom; row++) {
          const line = await read(row * grid.width + left, row * grid.width + right);
          if (line === undefined) return null;
          samples.set(line, (row - top) * width);
        }
      }
      if (samples === undefined) return null;
    }
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
