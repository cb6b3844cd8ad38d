import type { ColumnType, Generated } from 'kysely';
import type { Environment } from '../../app/owner.ts';

/** A background job that is not done. */
export interface JobsTable {
  id: string;
  seq: Generated<number>;
  kind: string;
  account_id: string | null;
  environment: Environment | null;
  tenant: ColumnType<string, never, never>;
  subject: string;
  priority: number;
  data: ColumnType<object, string, string>;
  /** Header `traceparent` of what caused it; null when no traces were made. */
  traceparent: ColumnType<string | null, string | null | undefined, never>;
  state: Generated<'waiting' | 'sent' | 'failed'>;
  failures: Generated<number>;
  sends: Generated<number>;
  starts: Generated<number>;
  engine: Generated<string | null>;
  message: Generated<string | null>;
  problem: Generated<string | null>;
  run_at: Generated<Date>;
  sent_at: Generated<Date | null>;
  started_at: Generated<Date | null>;
  failed_at: Generated<Date | null>;
  /** Number of the worker that runs it; null where it cannot be seen whether that lives. */
  worker: Generated<number | null>;
}

/** The name of the stream of this installation in NATS; one row. */
export interface JobStreamTable {
  name: string;
}

/** Which process runs which unit of a search. */
export interface SearchUnitsTable {
  search: string;
  unit: string;
  worker: string;
  holder: number | null;
  beat_at: Generated<Date>;
}
