import { type Bbox, splitBbox, toGeoJsonBbox } from '../../../geo/bbox.ts';
import { DAY_MS } from '../../../base/time.ts';
import type { AddedLayer } from '../add-layer.ts';
import { deriveFireHistory } from '../derive/derive-fire-history.ts';
import { type Dataset, type DatasetFile } from './dataset.ts';

const SOURCE = 'VIIRS_SNPP_SP'; // standard processing of Suomi NPP, 375 m, since 20 January 2012
const FIRST_YEAR = 2013; // first whole year of it
const DAYS = 5; // maximum period of one request
const LATE_DAYS = 120; // standard processing is published about three months late
const MARGIN = 0.05; // fires within 5 km of a cell count [degrees]

/** Detections of fires by FIRMS, as frequency of fires. */
export const FIRE_DETECTIONS: Dataset = {
  name: 'firms',
  meaning: `FIRMS detections of vegetation fires (VIIRS, since ${FIRST_YEAR}), as frequency of fires`,
  layers: ['fire-frequency', 'fire-record-years'],
  licence: 'free and open (NASA EOSDIS); cite NASA FIRMS',
  source:
    'NASA FIRMS, VIIRS 375 m active fires of Suomi NPP, standard processing (Schroeder et al. 2014, doi:10.1016/j.rse.2013.12.008)',
  documentation: 'https://firms.modaps.eosdis.nasa.gov/api/area/',
  base: 'https://firms.modaps.eosdis.nasa.gov/',
  needs: 'GROUNDWATCH_FIRMS_KEY',
  plan: (request) => partsOf(request.boxes).flatMap((box, part) => filesOf(request, box, part)),
  async install(deps, request, files) {
    const added: AddedLayer[] = [];
    const last = lastYear(request.nowMs);
    for (const [part, box] of partsOf(request.boxes).entries()) {
      const tables = files.filter(({ name }) => name.startsWith(`firms_${part}_`));
      const path = `${request.folder}/firms_${SOURCE}_${FIRST_YEAR}-${last}.csv`;
      const texts: string[] = [];
      for (const one of tables) texts.push(await deps.downloads.readText(one.path));
      await deps.downloads.writeText(path, joined(texts));
      const derived = await deriveFireHistory(deps, {
        path,
        bbox: toGeoJsonBbox(box),
        fromYear: FIRST_YEAR,
        toYear: last,
        version: `firms-viirs-${last}`,
        licence: FIRE_DETECTIONS.licence,
        source: `${FIRE_DETECTIONS.source}, ${FIRST_YEAR} to ${last}`,
        replace: false,
        environment: request.environment,
      });
      added.push(...derived.added);
    }
    return added;
  },
};

const partsOf = (boxes: readonly Bbox[]): readonly Bbox[] => boxes.flatMap(splitBbox);
const lastYear = (nowMs: number): number => new Date(nowMs - LATE_DAYS * DAY_MS).getUTCFullYear() - 1;

function filesOf(
  { base, nowMs }: { readonly base: string; readonly nowMs: number },
  [west, south, east, north]: Bbox,
  part: number,
): readonly DatasetFile[] {
  const box = [west - MARGIN, south - MARGIN, east + MARGIN, north + MARGIN].map((edge) => edge.toFixed(2));
  const files: DatasetFile[] = [];
  const end = Date.UTC(lastYear(nowMs) + 1, 0, 1);
  for (let from = Date.UTC(FIRST_YEAR, 0, 1); from < end; from += DAYS * DAY_MS) {
    const day = new Date(from).toISOString().slice(0, 10);
    const days = Math.min(DAYS, (end - from) / DAY_MS);
    files.push({
      url: `${base}api/area/csv/{key}/${SOURCE}/${box.join()}/${days}/${day}`,
      name: `firms_${part}_${box.join('_')}_${day}.csv`,
      format: 'detections',
      isMade: true,
    });
  }
  return files;
}

/** Joins tables with the same columns. */
function joined(texts: readonly string[]): string {
  let head = '';
  const rows: string[] = [];
  for (const text of texts) {
    const [first = '', ...rest] = text.split(/\r?\n/);
    head ||= first;
    rows.push(...rest.filter((line) => line.trim() !== ''));
  }
  return `${[head, ...rows].join('\n')}\n`;
}
