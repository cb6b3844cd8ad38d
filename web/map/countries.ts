import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import atlasUrl from 'world-atlas/countries-110m.json?url';
import { flatLand } from './flat-rings.ts';

/** Loads land and borders from Natural Earth 1:110m. The service itself serves this file; no map server is needed. */
export async function loadCountries(): Promise<GeoJSON.FeatureCollection> {
  const answer = await fetch(atlasUrl);
  const atlas = (await answer.json()) as Topology<{ countries: GeometryCollection }>;
  return flatLand(feature(atlas, atlas.objects.countries));
}
