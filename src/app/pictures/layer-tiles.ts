import { NotFound } from '../../base/errors.ts';
import type { Legend } from '../../contract/pictures/change-images.ts';
import type { LayerTiles } from '../../contract/pictures/layer-tiles.ts';
import { bboxesOverlap, uniteBboxes } from '../../geo/bbox.ts';
import { boundsForTiles, boundsOfTile, placeInTile, type Tile } from '../../geo/tile.ts';
import { layerRamp, rampColours, shownRange } from '../../raster/colour-ramp.ts';
import type { Deps } from '../deps.ts';
import type { Owner } from '../owner.ts';
import type { LayerCard, LayerSnapshot } from '../risk/layer-reader.ts';
import { TILE_PIXELS } from './tile-size.ts';

/** Unit of layers whose values are codes of classes. */
const CLASSES = 'class';
/** Return period that is shown where none is asked for, or the nearest one to it [years]. */
const USUAL_YEARS = 100;
/** Rows of pixels that are read in one turn of the event loop: 4,096 places, a millisecond or so. */
const ROWS_PER_TURN = 16;
/** Places on a side by whose values the range of a legend is chosen. */
const RANGE_SIDE = 64;
const AROUND_M = 40_075_017; // the equator
/** Highest zoom that is offered: a pixel is then 10 m wide at the equator. */
const MAX_ZOOM = 14;
/** Colours in a palette, beside the transparent one. */
const STEPS = 240;
/** Opacity of a layer, which lies over the map [0-255]. */
const OPACITY = 190;
/** Tiles of one snapshot of the layers that are kept: 8 MB or so. */
const KEPT = 500;

type LayerDeps = Pick<Deps, 'layers' | 'pictures'>;

/** What is shown of a layer. */
interface Shown {
  readonly snapshot: LayerSnapshot;
  readonly layer: string;
  readonly years: number | null;
  /** The maps, the finest first. */
  readonly cards: readonly LayerCard[];
  readonly legend: Legend;
}

/** What was computed of a snapshot; it is freed together with it. */
interface Kept {
  readonly legends: Map<string, Legend>;
  readonly tiles: Map<string, Uint8Array>;
}
const kept = new WeakMap<LayerSnapshot, Kept>();

function keptOf(snapshot: LayerSnapshot): Kept {
  let found = kept.get(snapshot);
  if (found === undefined) kept.set(snapshot, (found = { legends: new Map(), tiles: new Map() }));
  return found;
}

/** Describes the tiles of a layer, without their address. @throws NotFound where there is none to be shown */
export function describeLayerTiles(
  { layers }: Pick<LayerDeps, 'layers'>,
  owner: Owner,
  layer: string,
  years: number | undefined,
): Omit<LayerTiles, 'tiles'> {
  const shown = shownOf(layers.snapshot(owner.environment), layer, years);
  const [finest] = shown.cards;
  const coverage = shown.cards.map((card) => shown.snapshot.coverage(card)).reduce(uniteBboxes);
  return {
    tilejson: '3.0.0',
    name: shown.years === null ? layer : `${layer}, once in ${shown.years} years`,
    scheme: 'xyz',
    minzoom: 0,
    maxzoom: Math.min(
      MAX_ZOOM,
      Math.max(0, Math.ceil(Math.log2(AROUND_M / TILE_PIXELS / finest!.resolutionM))),
    ),
    bounds: boundsForTiles(coverage),
    layer,
    unit: finest!.unit,
    return_period_years: shown.years,
    maps: shown.cards.map(({ version, resolutionM, date, licence, source }) => ({
      version,
      resolution_m: resolutionM,
      date,
      licence,
      source,
    })),
    legend: shown.legend,
  };
}

/** Returns a tile of a layer that is kept; undefined: it has to be made. @throws NotFound as `describeLayerTiles` */
export function keptLayerTile(
  { layers }: Pick<LayerDeps, 'layers'>,
  owner: Owner,
  layer: string,
  years: number | undefined,
  tile: Tile,
): Uint8Array | undefined {
  const shown = shownOf(layers.snapshot(owner.environment), layer, years);
  return keptOf(shown.snapshot).tiles.get(nameOf(shown, tile));
}

/**
 * Makes a tile of a layer as PNG: the value at the centre of each pixel of the finest map that has one there.
 * @param turn resolves when the next rows may be read @throws NotFound as `describeLayerTiles`; NoPlace
 */
export async function makeLayerTile(
  { layers, pictures }: LayerDeps,
  owner: Owner,
  layer: string,
  years: number | undefined,
  tile: Tile,
  turn: () => Promise<void>,
): Promise<Uint8Array> {
  const shown = shownOf(layers.snapshot(owner.environment), layer, years);
  const pixels = new Uint8Array(TILE_PIXELS * TILE_PIXELS);
  const { colours, min, max } = shown.legend;
  const box = boundsOfTile(tile);
  const cards = shown.cards.filter((card) => bboxesOverlap(shown.snapshot.coverage(card), box));
  const count = ROWS_PER_TURN * TILE_PIXELS;
  for (let row = 0; row < TILE_PIXELS && cards.length > 0; row += ROWS_PER_TURN) {
    await turn();
    const values = valuesAt(shown.snapshot, cards, count, (i) =>
      placeInTile(
        tile,
        ((i % TILE_PIXELS) + 0.5) / TILE_PIXELS,
        (row + Math.floor(i / TILE_PIXELS) + 0.5) / TILE_PIXELS,
      ),
    );
    for (let i = 0; i < count; i++) {
      const value = values[i]!;
      if (!Number.isFinite(value)) continue;
      const step = Math.round(((value - min) / (max - min)) * (STEPS - 1));
      pixels[row * TILE_PIXELS + i] = 1 + Math.min(STEPS - 1, Math.max(0, step));
    }
  }
  const made = await pictures.make(owner.accountId, {
    kind: 'palette',
    size: { width: TILE_PIXELS, height: TILE_PIXELS },
    pixels,
    palette: [[0, 0, 0, 0], ...rampColours(colours, STEPS).map(([r, g, b]) => [r, g, b, OPACITY] as const)],
  });
  const { tiles } = keptOf(shown.snapshot);
  tiles.set(nameOf(shown, tile), made);
  for (const oldest of tiles.keys()) {
    if (tiles.size <= KEPT) break;
    tiles.delete(oldest);
  }
  return made;
}

const nameOf = ({ layer, years }: Pick<Shown, 'layer' | 'years'>, { z, x, y }: Tile): string =>
  `${layer} ${years} ${z} ${x} ${y}`;

/** The maps and colours of a layer. @throws NotFound for a layer that is not there, has classes or lacks the period */
function shownOf(snapshot: LayerSnapshot, layer: string, years: number | undefined): Shown {
  const all = snapshot.cards(layer);
  if (all.length === 0)
    throw new NotFound(`There is no layer ${layer}: GET /v1/layers lists those that answer here`);
  if (all.some(({ unit }) => unit === CLASSES))
    throw new NotFound(`The layer ${layer} has classes, not values, so there are no tiles of it`);
  const periods = [...new Set(all.map(({ returnPeriodYears }) => returnPeriodYears))];
  const dated = periods.filter((one) => one !== null).toSorted((a, b) => a - b);
  const away = (one: number): number => Math.abs(Math.log(one / USUAL_YEARS));
  const usual = dated.toSorted((a, b) => away(a) - away(b))[0] ?? null;
  const chosen = years ?? usual;
  const cards = all
    .filter(({ returnPeriodYears }) => returnPeriodYears === chosen)
    .toSorted((a, b) => a.resolutionM - b.resolutionM);
  if (cards.length === 0)
    throw new NotFound(
      dated.length === 0
        ? `The layer ${layer} has no return periods`
        : `The layer ${layer} has no map of ${years} years, but of ${dated.join(', ')}`,
    );
  return { snapshot, layer, years: chosen, cards, legend: legendOf(snapshot, layer, chosen, cards) };
}

function legendOf(
  snapshot: LayerSnapshot,
  layer: string,
  years: number | null,
  cards: readonly LayerCard[],
): Legend {
  const { legends } = keptOf(snapshot);
  const name = `${layer} ${years}`;
  let legend = legends.get(name);
  if (legend === undefined) {
    const ramp = layerRamp(layer);
    const values = cards.flatMap((card) => [...spreadValues(snapshot, card)]);
    const [min, max] = shownRange(ramp, Float32Array.from(values));
    legends.set(name, (legend = { ramp: ramp.name, min, max, colours: [...ramp.colours] }));
  }
  return legend;
}

/** Values of a map at places that are spread over the box around it. */
function spreadValues(snapshot: LayerSnapshot, card: LayerCard): Float64Array {
  const [west, south, east, north] = snapshot.coverage(card);
  return valuesAt(snapshot, [card], RANGE_SIDE * RANGE_SIDE, (i) => {
    const lng = west + ((east - west) * ((i % RANGE_SIDE) + 0.5)) / RANGE_SIDE;
    const lat = south + ((north - south) * (Math.floor(i / RANGE_SIDE) + 0.5)) / RANGE_SIDE;
    return [lng > 180 ? lng - 360 : lng, lat];
  });
}

/** Values at places: of the first map that has one there; NaN or infinite where none has. */
function valuesAt(
  snapshot: LayerSnapshot,
  cards: readonly LayerCard[],
  count: number,
  placeOf: (i: number) => readonly [number, number],
): Float64Array {
  const [lngs, lats] = [new Float64Array(count), new Float64Array(count)];
  for (let i = 0; i < count; i++) [lngs[i], lats[i]] = placeOf(i) as [number, number];
  const read = new Float64Array(cards.length * count);
  snapshot.reader(cards)(lngs, lats, read);
  const values = read.subarray(0, count);
  for (let c = 1; c < cards.length; c++)
    for (let i = 0; i < count; i++) if (!Number.isFinite(values[i]!)) values[i] = read[c * count + i]!;
  return values;
}
