import type { FastifyReply, FastifyRequest } from 'fastify';
import { varyByAccept } from '../answer/vary.ts';

/** A GeoJSON feature made from a resource with an id and a geometry. Other fields of the resource are `properties`. */
export interface Feature {
  readonly type: 'Feature';
  readonly id: string;
  readonly geometry: unknown;
  readonly properties: Readonly<Record<string, unknown>>;
}

/**
 * Returns whether the answer is made of features: the caller requests GeoJSON, by `f` or by the `Accept` header, or a table.
 * Sets `Vary` and the content type.
 */
export function wantsGeoJson(request: FastifyRequest, reply: FastifyReply, f: string | undefined): boolean {
  varyByAccept(reply);
  if (request.table !== null) return true; // its rows are made of features
  const wanted = f === undefined ? prefersGeoJson(request.headers.accept) : f === 'geojson';
  if (wanted) reply.type('application/geo+json');
  return wanted;
}

/**
 * Returns whether an `Accept` header prefers GeoJSON to JSON (RFC 9110 section 12.5.1). If both have the same quality,
 * JSON is preferred.
 */
function prefersGeoJson(accept: string | undefined): boolean {
  if (accept === undefined || !accept.includes('geo+json')) return false;
  const quality = { geojson: 0, json: -1 };
  for (const range of accept.split(',')) {
    const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const q = Number(parameters.find((part) => part.startsWith('q='))?.slice(2) ?? 1);
    if (type === 'application/geo+json') quality.geojson = q;
    else if (type === 'application/json') quality.json = q;
  }
  return quality.geojson > 0 && quality.geojson > quality.json;
}

export function featureOf(resource: { readonly id: string; readonly geometry: unknown }): Feature {
  const { id, geometry, ...properties } = resource;
  return { type: 'Feature', id, geometry, properties: { id, ...properties } };
}

export function featuresOf(resources: readonly { readonly id: string; readonly geometry: unknown }[]): {
  readonly type: 'FeatureCollection';
  readonly features: readonly Feature[];
} {
  return { type: 'FeatureCollection', features: resources.map(featureOf) };
}
