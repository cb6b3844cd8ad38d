import type { Generated } from 'kysely';

export interface StationsTable {
  collection_id: string;
  id: string;
  key: string;
  /** `point` in PostgreSQL's text form, `(lng,lat)`; pg gives it as an object. */
  position: unknown;
  observations: Generated<number>;
  first_ms: number | null;
  last_ms: number | null;
  /** Names what was written and not followed by what is computed from it; null where nothing was. */
  underived: Generated<string | null>;
}

export interface StationSeriesTable {
  station_id: string;
  first_ms: number;
  last_ms: number;
  times: Buffer;
  values: Buffer;
}
