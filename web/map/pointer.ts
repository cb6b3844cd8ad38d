import type { Map as MapLibre, PointLike } from 'maplibre-gl';
import type { MeasuringPlace } from '../stations/measuring-places.ts';
import { changeInWords } from './change-words.ts';
import type { ChangeOnMap, MapContent } from './map-content.ts';

type Point = { readonly x: number; readonly y: number };

/** How far from a feature the pointer may be [px], because a line is hard to hit. */
const REACH = 4;

/** What is at a point of the map, in words: a station, a change or an area. */
export function textAt(map: MapLibre, point: Point, content: MapContent): string | undefined {
  const station = stationAt(map, point, content);
  if (station !== undefined) return `${station.name}: ${station.metrics.join(', ')}`;
  const change = changeAt(map, point);
  if (change !== undefined) return changeInWords(change);
  const area = areaAt(map, point);
  return content.areas.find(({ id }) => id === area)?.name;
}

export function stationAt(map: MapLibre, point: Point, { stations }: MapContent): MeasuringPlace | undefined {
  const station = featureAt(map, point, ['stations']);
  return station && stations.places[Number(station['id'])];
}

export function changeAt(map: MapLibre, point: Point): Omit<ChangeOnMap, 'geometry'> | undefined {
  return featureAt(map, point, [
    'chosen-change-dots',
    'chosen-change-outlines',
    'chosen-changes',
    'changes',
    'change-dots',
  ]) as Omit<ChangeOnMap, 'geometry'> | undefined;
}

/** The id of the area whose outline is at a point. */
export function areaAt(map: MapLibre, point: Point): string | undefined {
  return featureAt(map, point, ['chosen-area-outlines', 'area-outlines', 'area-dots'])?.['id'] as
    | string
    | undefined;
}

/** Properties of the uppermost feature of some layers at a point. */
function featureAt(
  map: MapLibre,
  { x, y }: Point,
  layers: string[],
): Readonly<Record<string, unknown>> | undefined {
  const box: [PointLike, PointLike] = [
    [x - REACH, y - REACH],
    [x + REACH, y + REACH],
  ];
  return map.queryRenderedFeatures(box, { layers })[0]?.properties;
}
