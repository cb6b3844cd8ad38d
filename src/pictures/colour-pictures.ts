import type { GridSize, PictureOf, PictureTask, SceneAt } from '../app/pictures/picture-maker.ts';
import { TILE_PIXELS } from '../app/pictures/tile-size.ts';
import type { GridWindow } from '../geo/grid-window.ts';
import { COLOUR_BANDS } from '../raster/true-colour.ts';
import { drawChip, pixelsInside } from './chip.ts';
import { CLEAR, FIRST, FIXED, MISSING } from './palette.ts';
import { encodeColourPng } from './png.ts';
import type { SceneSamples } from './scene-samples.ts';
import { drawTile, emptyTile, tilePlaces } from './scene-tile.ts';
import { encodeWebp } from './webp.ts';

type TaskOf<K extends PictureTask['kind']> = Extract<PictureTask, { readonly kind: K }>;

/** Brightness of red, green and blue of the pixels of a window, NaN where nothing was seen. */
type Planes = readonly Float32Array[];

/** Makes pictures in true colour from the planes of colour cubes. */
export class ColourPictures {
  readonly #samples: SceneSamples;

  constructor(samples: SceneSamples) {
    this.#samples = samples;
  }

  async tile({ scene, grid, tile, format }: TaskOf<'colour tile'>): Promise<PictureOf<PictureTask>> {
    const places = tilePlaces(grid, tile);
    if (places === null) return emptyTile(format);
    const planes = await this.#planes(scene, grid, places.window, places.step);
    if (planes === null) return null;
    const rgba = new Uint8Array(4 * TILE_PIXELS * TILE_PIXELS);
    for (const [band, plane] of planes.entries()) {
      const drawn = drawTile(places, plane, (sample) => (Number.isNaN(sample) ? CLEAR : sample));
      for (let i = 0; i < drawn.length; i++) {
        rgba[4 * i + band] = drawn[i]!;
        if (drawn[i] !== CLEAR) rgba[4 * i + 3] = 255;
      }
    }
    return format === 'webp'
      ? encodeWebp(TILE_PIXELS, TILE_PIXELS, rgba)
      : encodeColourPng(TILE_PIXELS, TILE_PIXELS, rgba);
  }

  async chip(task: TaskOf<'colour chip'>): Promise<PictureOf<PictureTask>> {
    const { scene, grid, step, gridWidth, window, size, runs } = task;
    const [left, top] = [Math.floor(window.col / step), Math.floor(window.row / step)];
    const width = Math.floor((window.col + window.width - 1) / step) + 1 - left;
    const height = Math.floor((window.row + window.height - 1) / step) + 1 - top;
    const planes = await this.#planes(scene, grid, { col: left, row: top, width, height }, 1);
    if (planes === null) return null;
    // The pixel of the picture that shows each pixel of the window.
    const shown = new Uint32Array(window.width * window.height);
    for (let i = 0; i < shown.length; i++) {
      const col = Math.floor((window.col + (i % window.width)) / step) - left;
      const row = Math.floor((window.row + Math.floor(i / window.width)) / step) - top;
      shown[i] = row * width + col;
    }
    const seen = Uint8Array.from(shown, (at) => (Number.isNaN(planes[0]![at]!) ? MISSING : FIRST));
    const marks = drawChip(seen, pixelsInside(runs, gridWidth, window), window, size);
    const rgba = new Uint8Array(4 * size.width * size.height);
    for (let i = 0; i < marks.length; i++) {
      const [x, y] = [i % size.width, Math.floor(i / size.width)];
      const col = Math.floor((x * window.width) / size.width);
      const row = Math.floor((y * window.height) / size.height);
      const at = shown[row * window.width + col]!;
      const mark = marks[i]!;
      for (let band = 0; band < COLOUR_BANDS.length; band++)
        rgba[4 * i + band] = mark === FIRST ? planes[band]![at]! : FIXED[mark]![band]!;
      rgba[4 * i + 3] = 255;
    }
    return encodeColourPng(size.width, size.height, rgba);
  }

  /** Every `step`-th column and row of a window of each plane; null when the scene has no picture any more. */
  async #planes(scene: SceneAt, grid: GridSize, window: GridWindow, step: number): Promise<Planes | null> {
    const { width, height } = grid;
    const stacked = { width, height: COLOUR_BANDS.length * height };
    const planes: Float32Array[] = [];
    for (const band of COLOUR_BANDS.keys()) {
      const lower = { ...window, row: window.row + band * height };
      const plane = await this.#samples.window(scene, stacked, lower, step);
      if (plane === null) return null;
      planes.push(plane);
    }
    return planes;
  }
}
