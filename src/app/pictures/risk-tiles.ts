import { type Peril, PERILS } from '../../contract/vocabulary.ts';
import type { RiskTiles } from '../../contract/pictures/risk-tiles.ts';
import { placeInTile, type Tile } from '../../geo/tile.ts';
import { rampColours } from '../../raster/colour-ramp.ts';
import { RISK_MODELS } from '../../risk/models.ts';
import type { Deps } from '../deps.ts';
import type { Owner } from '../owner.ts';
import type { LayerSnapshot } from '../risk/layer-reader.ts';
import { layersServing } from '../risk/list-models.ts';
import { assessPlaces } from '../risk/assess-risk.ts';
import { TILE_PIXELS } from './tile-size.ts';

/** Cells into which a side of a tile is divided. Their corners are assessed; between them pixels are interpolated. */
const CELLS = 32;
/** Rows of corners that are assessed in one turn of the event loop: 264 places, a millisecond or so. */
const ROWS_PER_TURN = 8;
/** Highest zoom that is offered: a cell is then 76 m wide at the equator. */
const MAX_ZOOM = 14;
const AROUND_M = 40_075_017; // the equator
/** Colours of scores 0 to 1 at equal steps, little to great: light to dark, and told apart without red or green. */
const COLOURS = ['#fbf3cf', '#f7cf7b', '#ee9a4d', '#d45f3c', '#9f2f47', '#561144'] as const;
/** Levels of score and of confidence in a palette of 256 colours. */
const SCORE_LEVELS = 40;
const OPACITY_LEVELS = 6;
/** Opacity of the least confidence above 0, and of confidence 1. */
const OPACITIES: readonly [number, number] = [60, 230];
/** Confidence below which nothing is shown: a prior, without any layer behind it. */
const LEAST_CONFIDENCE = 0.02;
/** How many tiles of one snapshot of the layers are kept: 4 MB or so. */
const KEPT = 500;

type TileDeps = Pick<Deps, 'layers' | 'pictures'>;

/**
 * Describes the tiles of the risk map of a peril, without their address. Its highest zoom is that at which the cells of
 * a tile are as fine as the finest layer that answers.
 */
export function describeRiskTiles(
  { layers }: Pick<TileDeps, 'layers'>,
  owner: Owner,
  peril: Peril,
): Omit<RiskTiles, 'tiles'> {
  const model = RISK_MODELS[peril];
  const serving = layersServing(layers.snapshot(owner.environment), model);
  const finestM = Math.min(AROUND_M, ...serving.map(({ resolutionM }) => resolutionM));
  return {
    tilejson: '3.0.0',
    name: `Risk of ${peril}`,
    scheme: 'xyz',
    minzoom: 0,
    maxzoom: Math.min(MAX_ZOOM, Math.max(0, Math.ceil(Math.log2(AROUND_M / CELLS / finestM)))),
    bounds: [-180, -85.05, 180, 85.05],
    peril,
    model_version: model.modelVersion,
    legend: { ramp: 'risk', min: 0, max: 1, colours: [...COLOURS] },
  };
}

/** Tiles by the snapshot of the layers that they show; they are freed together with it. */
const kept = new WeakMap<LayerSnapshot, Map<string, Uint8Array>>();

/** Returns a tile of a risk map that was made from the current layers and is kept; undefined: it has to be made. */
export function keptRiskTile(
  { layers }: TileDeps,
  owner: Owner,
  peril: Peril,
  tile: Tile,
): Uint8Array | undefined {
  return kept.get(layers.snapshot(owner.environment))?.get(nameOf(peril, tile));
}

/**
 * Makes a tile of the risk map of a peril as PNG: the score is the colour, the confidence the opacity.
 * @param turn resolves when the next rows may be assessed @throws NoPlace
 */
export async function makeRiskTile(
  { layers, pictures }: TileDeps,
  owner: Owner,
  peril: Peril,
  tile: Tile,
  turn: () => Promise<void>,
): Promise<Uint8Array> {
  const snapshot = layers.snapshot(owner.environment);
  const corners = CELLS + 1;
  const scores = new Float32Array(corners * corners);
  const confidences = new Float32Array(corners * corners);
  for (let from = 0; from < corners; from += ROWS_PER_TURN) {
    await turn();
    const rows = Math.min(ROWS_PER_TURN, corners - from);
    const count = rows * corners;
    const [lats, lngs] = [new Float64Array(count), new Float64Array(count)];
    for (let i = 0; i < count; i++)
      [lngs[i], lats[i]] = placeInTile(
        tile,
        (i % corners) / CELLS,
        (from + Math.floor(i / corners)) / CELLS,
      ) as [number, number];
    const perils = new Uint8Array(count).fill(PERILS.indexOf(peril));
    const assessed = assessPlaces(snapshot, { perils, lats, lngs }, false);
    scores.set(assessed.riskScores, from * corners);
    confidences.set(assessed.confidences, from * corners);
  }
  const made = await pictures.make(owner.accountId, {
    kind: 'palette',
    size: { width: TILE_PIXELS, height: TILE_PIXELS },
    pixels: riskPixels(scores, confidences, corners),
    palette: riskPalette(),
  });
  let tiles = kept.get(snapshot);
  if (tiles === undefined) kept.set(snapshot, (tiles = new Map()));
  tiles.set(nameOf(peril, tile), made);
  for (const oldest of tiles.keys()) {
    if (tiles.size <= KEPT) break;
    tiles.delete(oldest);
  }
  return made;
}

const nameOf = (peril: Peril, { z, x, y }: Tile): string => `${peril} ${z} ${x} ${y}`;

/**
 * Indices into the palette of the pixels of a tile, from scores and confidences in [0, 1] at the corners of its cells,
 * row-major, `corners` on a side.
 */
export function riskPixels(scores: Float32Array, confidences: Float32Array, corners: number): Uint8Array {
  const pixels = new Uint8Array(TILE_PIXELS * TILE_PIXELS);
  const perPixel = (corners - 1) / TILE_PIXELS;
  for (let y = 0; y < TILE_PIXELS; y++) {
    const down = (y + 0.5) * perPixel;
    const row = Math.min(corners - 2, Math.floor(down));
    for (let x = 0; x < TILE_PIXELS; x++) {
      const across = (x + 0.5) * perPixel;
      const column = Math.min(corners - 2, Math.floor(across));
      const at = row * corners + column;
      const [right, below] = [across - column, down - row];
      const between = (values: Float32Array): number =>
        (values[at]! * (1 - right) + values[at + 1]! * right) * (1 - below) +
        (values[at + corners]! * (1 - right) + values[at + corners + 1]! * right) * below;
      pixels[y * TILE_PIXELS + x] = colourOf(between(scores), between(confidences));
    }
  }
  return pixels;
}

/** Index of the colour of a score at a confidence; 0, which is transparent, at hardly any confidence. */
function colourOf(score: number, confidence: number): number {
  if (!(confidence >= LEAST_CONFIDENCE)) return 0;
  const opacity = Math.min(OPACITY_LEVELS - 1, Math.floor(confidence * OPACITY_LEVELS));
  const level = Math.min(SCORE_LEVELS - 1, Math.max(0, Math.round(score * (SCORE_LEVELS - 1))));
  return 1 + opacity * SCORE_LEVELS + level;
}

/** The palette of {@link riskPixels}: transparent, then the scores at each opacity, the faintest first. */
export function riskPalette(): readonly (readonly [number, number, number, number])[] {
  const ramp = rampColours(COLOURS, SCORE_LEVELS);
  const [least, most] = OPACITIES;
  return [
    [0, 0, 0, 0],
    ...Array.from({ length: OPACITY_LEVELS }, (_, level) => {
      const alpha = Math.round(least + ((most - least) * level) / (OPACITY_LEVELS - 1));
      return ramp.map(([r, g, b]) => [r, g, b, alpha] as const);
    }).flat(),
  ];
}
