// Words of the contract that the use cases also need. They are not in the files of the schemas, because the library
// that builds the schemas takes long to load: commands and threads without HTTP do not load it.

/** The environments that a credential can belong to. */
export const ENVIRONMENTS = ['sandbox', 'staging', 'production'] as const;

export const PERILS = ['flood', 'subsidence', 'wildfire', 'storm'] as const;
export type Peril = (typeof PERILS)[number];

export const CHANGE_TYPES = [
  'vegetation_loss',
  'vegetation_gain',
  'conversion',
  'burn',
  'water_gain',
  'water_loss',
  'built_up',
  'ground_subsidence',
  'ground_uplift',
] as const;
