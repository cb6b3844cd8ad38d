import type { Generated } from 'kysely';

export interface StationsTable {
  collection_id: string;
  id: string;
  key: string;
  /** A `point` (lng, lat). Written as text `(lng,lat)`; pg reads it as an object. */
  position: unknown;
  observations: Generated<number>;
  first_ms: number | null;
  last_ms: number | null;
  /** Mark of the last write that the derived series do not include yet; null when there is none. */
  underived: Generated<string | null>;
}

export interface StationSeriesTable {
  station_id: string;
  first_ms: number;
  last_ms: number;
  times: Buffer;
  values: Buffer;
}
