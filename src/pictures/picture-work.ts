import type { SearchedCubes } from '../app/changes/search/searched-cubes.ts';
import type { Clearness, PictureOf, PictureTask } from '../app/pictures/picture-maker.ts';
import { drawChip, pixelsInside } from './chip.ts';
import { ColourPictures } from './colour-pictures.ts';
import { colourIndex, paletteOf } from './palette.ts';
import { encodePng } from './png.ts';
import { coloursOf, encodeWebp } from './webp.ts';
import { TILE_PIXELS } from '../app/pictures/tile-size.ts';
import { drawTile, emptyTile, tilePlaces } from './scene-tile.ts';
import { SceneSamples } from './scene-samples.ts';

/** Samples of one scene by which a range of values is chosen. */
const RANGE_SAMPLES = 4096;

type TaskOf<K extends PictureTask['kind']> = Extract<PictureTask, { readonly kind: K }>;

/** Does the tasks of one thread. */
export class PictureWork {
  readonly #cubes: SearchedCubes;
  readonly #samples: SceneSamples;
  readonly #colours: ColourPictures;

  constructor(cubes: SearchedCubes) {
    this.#cubes = cubes;
    this.#samples = new SceneSamples(cubes);
    this.#colours = new ColourPictures(this.#samples);
  }

  do(task: PictureTask): Promise<PictureOf<PictureTask>> {
    if (task.kind === 'clearness') return this.#clearness(task);
    if (task.kind === 'samples') return this.#range(task);
    if (task.kind === 'palette') return Promise.resolve(encodePng({ ...task.size, ...task }));
    if (task.kind === 'block') return this.#block(task);
    if (task.kind === 'colour tile') return this.#colours.tile(task);
    if (task.kind === 'colour chip') return this.#colours.chip(task);
    return task.kind === 'chip' ? this.#chip(task) : this.#tile(task);
  }

  async #clearness({ cubeId, pixels }: TaskOf<'clearness'>): Promise<readonly Clearness[]> {
    let scenes: readonly { readonly key: string; readonly sha256: string; readonly timeMs: number }[] = [];
    let counts = new Float64Array();
    for (const pixel of pixels) {
      const strip = await this.#cubes.readStrip(cubeId, pixel, pixel + 1);
      // A scene may be added between two reads: then the pixels that were read first count for nothing.
      if (strip.scenes.length !== scenes.length) {
        scenes = strip.scenes;
        counts = new Float64Array(scenes.length);
      }
      for (const [t, value] of strip.values.entries()) if (!Number.isNaN(value)) counts[t]!++;
    }
    return scenes.map(({ key, sha256, timeMs }, t) => ({
      key,
      sha256,
      timeMs,
      clear: counts[t]! / pixels.length,
    }));
  }

  async #range({ scenes, grid, window }: TaskOf<'samples'>): Promise<Float32Array> {
    const step = Math.max(1, Math.ceil(Math.sqrt((window.width * window.height) / RANGE_SAMPLES)));
    const parts: Float32Array[] = [];
    for (const scene of scenes) {
      const samples = await this.#samples.window(scene, grid, window, step);
      if (samples !== null) parts.push(samples);
    }
    const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }

  async #block(task: TaskOf<'block'>): Promise<Uint8Array | null> {
    const { scene, grid, window, step, side, sample, missing } = task;
    const samples = await this.#samples.window(scene, grid, window, step);
    if (samples === null) return null;
    const block = sample === 'int16' ? new Int16Array(side * side) : new Float32Array(side * side);
    block.fill(missing);
    const columns = Math.ceil(window.width / step);
    for (let i = 0; i < samples.length; i++) {
      const value = samples[i]!;
      if (!Number.isNaN(value)) block[Math.floor(i / columns) * side + (i % columns)] = value;
    }
    return new Uint8Array(block.buffer);
  }

  async #tile({ scene, grid, tile, colouring, format }: TaskOf<'tile'>): Promise<Uint8Array | null> {
    const places = tilePlaces(grid, tile);
    if (places === null) return emptyTile(format);
    const { window, step } = places;
    const samples = await this.#samples.window(scene, grid, window, step);
    if (samples === null) return null;
    const pixels = drawTile(places, samples, colourIndex(colouring));
    const [size, palette] = [TILE_PIXELS, paletteOf(colouring)];
    return format === 'webp'
      ? encodeWebp(size, size, coloursOf(pixels, palette))
      : encodePng({ width: size, height: size, pixels, palette });
  }

  async #chip({ scene, grid, window, size, colouring, runs }: TaskOf<'chip'>): Promise<Uint8Array | null> {
    const samples = await this.#samples.window(scene, grid, window, 1);
    if (samples === null) return null;
    const colours = Uint8Array.from(samples, colourIndex(colouring));
    const pixels = drawChip(colours, pixelsInside(runs, grid.width, window), window, size);
    return encodePng({ ...size, pixels, palette: paletteOf(colouring) });
  }
}
