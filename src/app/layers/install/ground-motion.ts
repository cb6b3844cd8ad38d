import { InvalidInput } from '../../../base/errors.ts';
import { type Bbox, splitBbox } from '../../../geo/bbox.ts';
import { projectionDefinition, projectionOf } from '../../../geo/projection.ts';
import type { AddedLayer } from '../add-layer.ts';
import { derivePointDisplacement, NoPoints } from '../derive/derive-displacement-points.ts';
import { type Dataset, type DatasetFile, shortDigest } from './dataset.ts';

/** Releases of the vertical product, newest first, each with the numbers under which tiles were published. */
const RELEASES = ['2020_2024_1', '2019_2023_2', '2019_2023_1', '2018_2022_1'];
const TILE_M = 100_000;
/** Tiles that the product has at most, by their numbers in Europe's grid. */
const [TILES_EAST, TILES_NORTH] = [
  [9, 74],
  [9, 56],
] as const;
const MARGIN_M = 1_000; // points around a box that its gradients need
const MOST_TILES = 25; // 500 x 500 km, some 4 GB (our choice)
const STEPS = 16; // points on each edge of a box that are projected

type Window = readonly [left: number, bottom: number, right: number, top: number];

/** Vertical ground motion of EGMS, level 3 (Ortho). */
export const GROUND_MOTION: Dataset = {
  name: 'egms',
  meaning: 'EGMS: vertical motion of the ground in Europe from radar, 100 m',
  layers: ['displacement-velocity', 'velocity-error', 'velocity-gradient', 'displacement-acceleration'],
  licence: 'Copernicus data, free with attribution',
  source:
    'European Ground Motion Service, Ortho (L3) vertical, European Union, Copernicus Land Monitoring Service, European Environment Agency (doi:10.2909/943e9cbb-f8ef-4378-966c-63eb761016a9)',
  documentation: 'https://land.copernicus.eu/en/products/european-ground-motion-service',
  base: 'https://egms.land.copernicus.eu/insar-api/archive/download/',
  needs: 'GROUNDWATCH_EGMS_TOKEN',
  access:
    'sign in at https://egms.land.copernicus.eu/, search the archive, and take the id behind "?id=" of the download links. It lives for some days',
  plan({ base, boxes }) {
    const files = new Map<string, DatasetFile>();
    for (const window of boxes.flatMap(splitBbox).map(windowOf))
      for (const tile of tilesOf(window))
        for (const release of RELEASES) {
          const name = `EGMS_L3_${tile}_100km_U_${release}.zip`;
          files.set(name, {
            url: `${base}${name}?id={key}`,
            name,
            format: 'ZIP',
            isMade: false,
            mayMiss: true,
            group: tile,
          });
        }
    const count = files.size / RELEASES.length;
    if (count > MOST_TILES)
      throw new InvalidInput(
        `--bbox: egms would take ${count} tiles of 100 km; at most ${MOST_TILES} are fetched at once`,
        { param: 'bbox' },
      );
    return [...files.values()];
  },
  async install(deps, { boxes, environment }, files) {
    const added: AddedLayer[] = [];
    for (const { path, name, sha256 } of files) {
      const [, from, to] = /_U_(\d{4})_(\d{4})_\d\.zip$/.exec(name)!;
      for (const [left, bottom, right, top] of boxes.flatMap(splitBbox).map(windowOf)) {
        try {
          const derived = await derivePointDisplacement(deps, {
            path,
            within: [left - MARGIN_M, bottom - MARGIN_M, right + MARGIN_M, top + MARGIN_M],
            version: `egms-${from}-${to}`,
            date: `${to}-12-31`,
            licence: GROUND_MOTION.licence,
            source: `${GROUND_MOTION.source}, ${from} to ${to}`,
            from: `${name} (${shortDigest(sha256)})`,
            replace: false,
            environment,
          });
          added.push(...derived.added);
        } catch (error) {
          if (!(error instanceof NoPoints)) throw error; // the box touches the tile beside its points
        }
      }
    }
    return added;
  },
};

/** The window around a box in metres of EPSG:3035. */
function windowOf([west, south, east, north]: Bbox): Window {
  const projection = projectionOf(projectionDefinition('EPSG:3035'));
  let window: Window = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i <= STEPS; i++) {
    const [lng, lat] = [west + ((east - west) * i) / STEPS, south + ((north - south) * i) / STEPS];
    for (const place of [
      [lng, south],
      [lng, north],
      [west, lat],
      [east, lat],
    ] as const) {
      const [x, y] = projection.fromLngLat(...place);
      window = [
        Math.min(window[0], x),
        Math.min(window[1], y),
        Math.max(window[2], x),
        Math.max(window[3], y),
      ];
    }
  }
  return window;
}

function* tilesOf([left, bottom, right, top]: Window): Generator<string> {
  const within = (tile: number, [least, most]: readonly [number, number]): boolean =>
    tile >= least && tile <= most;
  for (let east = Math.floor(left / TILE_M); east * TILE_M <= right; east++)
    for (let north = Math.floor(bottom / TILE_M); north * TILE_M <= top; north++)
      if (within(east, TILES_EAST) && within(north, TILES_NORTH))
        yield `E${String(east).padStart(2, '0')}N${String(north).padStart(2, '0')}`;
}
