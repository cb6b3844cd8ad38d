import type { FastifyReply, FastifyRequest } from 'fastify';
import { preferredType } from '../answer/accept.ts';
import { varyByAccept } from '../answer/vary.ts';

const GEOJSON = 'application/geo+json';
const OFFER = ['application/json', GEOJSON] as const;

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
  const wanted = f === undefined ? preferredType(request.headers.accept, OFFER) === GEOJSON : f === 'geojson';
  if (wanted) reply.type(GEOJSON);
  return wanted;
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
