import type { ColumnType, Generated } from 'kysely';
import type { Environment } from '../../app/owner.ts';

export interface RiskWatchesTable {
  account_id: string;
  environment: Environment;
  id: string;
  peril: string;
  threshold: number;
  /** Latitude of a watched point; null for an area. */
  lat: number | null;
  /** Longitude of a watched point; null for an area. */
  lng: number | null;
  aoi_id: string | null;
  subscription_id: string | null;
  active: boolean;
  risk_score: number;
  confidence: number;
  above: boolean;
  model_version: string;
  /** Digest of the models and data from which the score was computed. */
  scored_as: string;
  scored_at: Date;
  created_at: Generated<Date>;
}

export interface RiskStatesTable {
  environment: Environment;
  peril: string;
  state: string;
  adopted_at: ColumnType<Date, Date | undefined, Date>;
}
