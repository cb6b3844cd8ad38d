import type { Generated } from 'kysely';
import type { Environment } from '../../app/owner.ts';

/** A followed STAC catalogue. */
export interface CataloguesTable {
  id: string;
  environment: Environment;
  /** Null for a catalogue that serves all accounts of its environment. */
  account_id: string | null;
  name: string;
  url: string;
  metrics: string[] | null;
  max_cloud_share: number;
  true_colour: Generated<boolean>;
  starts_at: Date;
  every_s: number;
  created_at: Generated<Date>;
  next_at: Generated<Date>;
  holder: Generated<string | null>;
  held_until: Generated<Date | null>;
}

/** Progress of reading a catalogue for one area. */
export interface CatalogueAreasTable {
  feed_id: string;
  aoi_id: string;
  /** Account of the area. */
  account_id: string;
  taken_to: Date | null;
  asked_at: Date;
  problem: string | null;
}
