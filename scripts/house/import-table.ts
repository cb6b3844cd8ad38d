// Who may import whom: `oxlint.config.ts` enforces it, docs/architecture.md shows it, scripts/house holds it against the tree.

/** What the files of one folder may import of ours. */
export interface ImportRule {
  /** Folders below src/, or single files of them. */
  readonly may: readonly string[];
  /** Folders below src/ of which it may import types only. */
  readonly types?: readonly string[];
}

/** Adapters: they implement ports of app and know nothing of each other. */
const ADAPTER: ImportRule = { may: ['base', 'contract', 'geo', 'raster', 'numerics', 'app', 'net'] };

/** A rule for every folder of src/, in order of their layers. Tests and main/ may import everything. */
export const IMPORT_RULES: Readonly<Record<string, ImportRule>> = {
  base: { may: [] },
  numerics: { may: [] },
  contract: { may: [] },
  geo: { may: ['contract/limits.ts'] },
  raster: { may: ['geo'] },
  risk: { may: ['geo', 'raster', 'numerics', 'base/time.ts'], types: ['contract'] },
  change: { may: ['geo', 'raster', 'numerics', 'base/time.ts'], types: ['contract'] },
  anomaly: { may: ['numerics', 'base/time.ts'], types: ['contract'] },
  sandbox: { may: ['geo', 'raster', 'numerics', 'base/time.ts'] },
  app: { may: ['base', 'numerics', 'contract', 'geo', 'raster', 'risk', 'change', 'anomaly', 'sandbox'] },
  net: { may: [] },
  formats: { may: ['base', 'geo', 'net'] },
  sources: { may: [...ADAPTER.may, 'formats'] },
  cube: ADAPTER,
  store: ADAPTER,
  auth: ADAPTER,
  webhooks: ADAPTER,
  backup: { may: ['base', 'app', 'cube', 'sources', 'store'] },
  http: { may: ['base', 'app', 'contract'] },
  cli: { may: ['base', 'app', 'contract'] },
  client: { may: ['contract'] },
  main: {
    may: [
      'base',
      'numerics',
      'contract',
      'geo',
      'raster',
      'risk',
      'change',
      'anomaly',
      'sandbox',
      'app',
      'net',
      'formats',
      'sources',
      'cube',
      'store',
      'auth',
      'webhooks',
      'backup',
      'http',
      'cli',
      'config.ts',
    ],
  },
};

/**
 * Subjects of src/app, in order: each may import only those of later lines. The files directly in src/app (owner, page,
 * clock, job-queue, storage, deps) are open to all subjects.
 */
export const APP_SUBJECTS: readonly (readonly string[])[] = [
  ['sandbox', 'catalogues'],
  ['changes'],
  ['anomalies'],
  ['watches'],
  ['layers'],
  ['stations', 'imagery'],
  ['series'],
  ['access', 'areas', 'events', 'webhooks', 'risk'],
];

/** What the console may import of src/. */
export const WEB_MAY: readonly string[] = ['client', 'contract', 'base/time.ts'];
