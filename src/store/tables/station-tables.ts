import type { Generated } from 'kysely';

export interface StationsTable {
  collection_id: string;
  id: string;
  key: string;
  /** A `point` (lng, lat). It is written as the text `(lng,lat)`; pg returns it as an object. */
  position: unknown;
  observations: Generated<number>;
  first_ms: number | null;
  last_ms: number | null;
  /** Random mark of the newest write that the derived series do not include yet; null if they include all writes. */
  underived: Generated<string | null>;
}

export interface StationSeriesTable {
  station_id: string;
  first_ms: number;
  last_ms: number;
  times: Buffer;
  values: Buffer;
}
