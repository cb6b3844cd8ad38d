import type { Bbox } from '../../../geo/bbox.ts';
import { toGeoJsonBbox } from '../../../geo/bbox.ts';
import type { AddedLayer } from '../add-layer.ts';
import { deriveCycloneWind } from '../derive/derive-cyclone-wind.ts';
import { type Dataset, shortDigest } from './dataset.ts';

const FILE = 'ibtracs.since1980.list.v04r01.csv';
/** Smallest box of the derivation is one cell of 0.25 degrees; a margin keeps tiny areas inside [degrees]. */
const MARGIN = 0.5;

/** Best tracks of tropical cyclones, renewed by NOAA three times a week. */
export const BEST_TRACKS: Dataset = {
  name: 'ibtracs',
  meaning: 'Best tracks of tropical cyclones since 1980, as return levels of their winds',
  layers: ['cyclone-wind', 'cyclone-count'],
  licence: 'public domain (NOAA)',
  source:
    'IBTrACS v04r01, NOAA NCEI, doi:10.25921/82ty-9e16 (Knapp et al. 2010, doi:10.1175/2009BAMS2755.1); Holland wind fields',
  documentation: 'https://www.ncei.noaa.gov/products/international-best-track-archive',
  base: 'https://www.ncei.noaa.gov/data/international-best-track-archive-for-climate-stewardship-ibtracs/v04r01/access/csv/',
  plan: ({ base }) => [{ url: base + FILE, name: FILE, format: 'best tracks', isMade: false }],
  async install(deps, { boxes, environment }, [file]) {
    const { path, day, sha256 } = file!;
    const added: AddedLayer[] = [];
    for (const box of boxes) {
      const derived = await deriveCycloneWind(deps, {
        path,
        bbox: toGeoJsonBbox(widened(box)),
        version: `ibtracs-${day}`,
        licence: BEST_TRACKS.licence,
        source: `${BEST_TRACKS.source}; ${FILE} of ${day}, ${shortDigest(sha256)}`,
        replace: false,
        environment,
      });
      added.push(...derived.added);
    }
    return added;
  },
};

const widened = ([west, south, east, north]: Bbox): Bbox => [
  west - MARGIN < -180 ? west : west - MARGIN,
  south - MARGIN,
  east + MARGIN,
  north + MARGIN,
];
