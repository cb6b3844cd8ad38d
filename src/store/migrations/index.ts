import type { Migration } from 'kysely/migration';
import * as foundation from './0001-foundation.ts';
import * as collectionMetrics from './0002-collection-metrics.ts';

/** Every migration by its name; they run in the order of their names, and a released one never changes. */
export const migrations: Record<string, Migration> = {
  '0001-foundation': foundation,
  '0002-collection-metrics': collectionMetrics,
};
