// Rules for imports between folders: `oxlint.config.ts` enforces them, docs/architecture.md shows them, and
// scripts/house.ts compares them with the folders and imports in the tree.

/** Files of this project that the files of one folder may import. */
export interface ImportRule {
  /** Folders of src/ that may be imported, or single files in them. */
  readonly may: readonly string[];
  /** Folders of src/ from which only types may be imported. */
  readonly types?: readonly string[];
}

/** Rule for adapters: they implement interfaces of app and do not import each other. */
const ADAPTER: ImportRule = { may: ['base', 'contract', 'geo', 'raster', 'numerics', 'app', 'net'] };

/** A rule for every folder of src/, from the lowest layer to the highest. Tests and main/ may import everything. */
export const IMPORT_RULES: Readonly<Record<string, ImportRule>> = {
  base: { may: [] },
  numerics: { may: [] },
  contract: { may: [] },
  geo: { may: ['contract/limits.ts'] },
  raster: { may: ['geo'] },
  risk: { may: ['geo', 'raster', 'numerics', 'base/time.ts'], types: ['contract'] },
  change: { may: ['geo', 'raster', 'numerics', 'base/time.ts'], types: ['contract'] },
  anomaly: { may: ['numerics', 'base/time.ts'], types: ['contract'] },
  incident: { may: ['geo', 'base/time.ts'], types: ['contract'] },
  sandbox: { may: ['geo', 'raster', 'numerics', 'base/time.ts'] },
  app: {
    may: [
      'base',
      'numerics',
      'contract',
      'geo',
      'raster',
      'risk',
      'change',
      'anomaly',
      'incident',
      'sandbox',
      'formats/cog-file.ts',
    ],
  },
  net: { may: [] },
  formats: { may: ['base', 'geo', 'net'], types: ['contract'] },
  sources: { may: [...ADAPTER.may, 'formats'] },
  cube: ADAPTER,
  pictures: ADAPTER,
  store: ADAPTER,
  auth: ADAPTER,
  webhooks: ADAPTER,
  backup: { may: ['base', 'app', 'cube', 'sources', 'store'] },
  http: { may: ['base', 'app', 'contract', 'formats'] },
  cli: { may: ['base', 'app', 'contract', 'client', 'formats'] },
  client: { may: [] },
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
      'incident',
      'sandbox',
      'app',
      'net',
      'formats',
      'sources',
      'cube',
      'pictures',
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
 * Subjects of src/app by level: a subject may import only subjects of later lines. All subjects may import the files
 * directly in src/app (owner, page, clock, job-queue, storage, deps).
 */
export const APP_SUBJECTS: readonly (readonly string[])[] = [
  ['mail'],
  ['bundles', 'sandbox', 'catalogues', 'pictures'],
  ['changes'],
  ['anomalies'],
  ['incidents'],
  ['watches'],
  ['layers'],
  ['stations', 'imagery'],
  ['series'],
  ['access', 'areas', 'events', 'webhooks', 'risk', 'nodes'],
];

/** Folders and files of src/ that the console may import. */
export const WEB_MAY: readonly string[] = ['client', 'contract', 'base/time.ts'];

/** Packages and built-in modules that the folders of the pure core may import. */
export const PURE_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  numerics: [],
  contract: ['typebox'],
  geo: ['geographiclib-geodesic', 'proj4'],
  raster: [],
  risk: [],
  change: ['node:fs'], // reads the kernel's WebAssembly
  anomaly: [],
  incident: [],
  sandbox: [],
};

/**
 * Files that may import a module whose path is computed: search threads import the cube module that they are given, and
 * the console imports the map library from the address that its build gave it.
 */
export const COMPUTED_IMPORTS: readonly string[] = [
  'src/app/changes/search/open-cubes.ts',
  'web/map/library.ts',
];
