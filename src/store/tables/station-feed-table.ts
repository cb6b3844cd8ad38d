import type { Generated, JSONColumnType } from 'kysely';
import type { Environment } from '../../app/owner.ts';
import type { FedStation } from '../../app/stations/schedule/providers.ts';

/** Stations that are fetched on a schedule. */
export interface StationFeedsTable {
  id: string;
  environment: Environment;
  /** Null for series that all accounts of the environment may read. */
  account_id: string | null;
  name: string;
  provider: string;
  base: string | null;
  metric: string;
  stations: JSONColumnType<readonly FedStation[]>;
  starts_at: Date;
  every_s: number;
  created_at: Generated<Date>;
  next_at: Generated<Date>;
  asked_at: Generated<Date | null>;
  problem: Generated<string | null>;
  holder: Generated<string | null>;
  held_until: Generated<Date | null>;
}
