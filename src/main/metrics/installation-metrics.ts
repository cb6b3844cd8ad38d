import type { Installation } from '../installation.ts';
import { databaseShortage } from '../database.ts';
import { processMetrics } from './process-metrics.ts';
import { storedMetrics } from './stored-metrics.ts';

/** Time for which the metrics from the database are kept, so that frequent requests cost no queries [ms]. */
const FRESH_MS = 1_000;

/** Metrics of this process and of the installation, in the text format of Prometheus. */
export interface InstallationMetrics {
  /** @param names whether metrics by the name of a collection, catalogue or node are among them */
  text(this: void, names: boolean): Promise<string>;
  /** Adds metrics that another part of the process keeps, in the same format. */
  include(this: void, metrics: () => string): void;
  /** Sets the end of the certificate that is served [ms since the Unix epoch]. */
  certificateEnds(this: void, ms: number): void;
  stop(this: void): void;
}

/** Starts to count what this process does. */
export function installationMetrics({
  config,
  database,
  deps,
}: Pick<Installation, 'config' | 'database' | 'deps'>): InstallationMetrics {
  let endsMs: number | undefined;
  const included: (() => string)[] = [];
  const { registry, stop } = processMetrics({
    dataFolder: config.dataFolder,
    ready: deps.ready,
    shortage: () => databaseShortage(database),
    connections: database.connections,
    certificateEndsMs: () => endsMs,
  });
  const asked = new Map<boolean, { readonly atMs: number; readonly text: Promise<string> }>();
  const stored = (names: boolean): Promise<string> => {
    const before = asked.get(names);
    const atMs = performance.now();
    if (before !== undefined && atMs - before.atMs < FRESH_MS) return before.text;
    const text = storedMetrics(parts, names);
    asked.set(names, { atMs, text });
    return text;
  };
  const parts = { storage: deps.storage, clock: deps.clock, db: database.db };
  return {
    // One after the other, so that the queries of the second are not counted as used connections by the first.
    text: async (names) =>
      included.map((text) => text()).join('') + (await registry.metrics()) + (await stored(names)),
    include: (metrics) => void included.push(metrics),
    certificateEnds: (ms) => {
      endsMs = ms;
    },
    stop,
  };
}
