import type { Deps } from '../deps.ts';
import type { Environment } from '../owner.ts';
import { checkCollectionName } from './collection-writer.ts';
import type { AlertReader } from './raster-stack.ts';
import { type IngestReport, writeStack } from './write-stack.ts';

/** Metric of the loss of vegetation cover in alert products. */
const ALERT_METRIC = 'veg_anom';

/** Options of an ingest of alerts, as given on the command line. */
export interface AlertIngest {
  readonly folder: string;
  readonly collection: string;
  readonly environment: Environment;
  /** Owner of the collection; null: it serves every account of the environment. */
  readonly accountId: string | null;
}

/**
 * Ingests the granules of an alert product, one scene per granule. Repeating it adds only new granules; a granule that
 * the provider has processed again replaces the earlier one.
 * @throws InvalidInput that names the folder or file and the problem, such as a granule that is dated in the future
 */
export async function ingestAlerts(
  deps: Pick<Deps, 'clock' | 'storage' | 'cube'> & { readonly alerts: AlertReader },
  { folder, ...target }: AlertIngest,
  progress: (done: number, total: number) => void,
): Promise<IngestReport> {
  checkCollectionName(target.collection, ALERT_METRIC);
  const losses = await deps.alerts.openAlerts(folder);
  try {
    const input = { ...target, metric: ALERT_METRIC, valuesPath: folder };
    return await writeStack(deps, input, losses, undefined, losses.dates!, progress);
  } finally {
    await losses.close();
  }
}
