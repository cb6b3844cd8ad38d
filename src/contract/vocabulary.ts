// Words of the contract that use cases need too. Apart from the schemas, since what builds these takes long to load: a
// command and a thread that speak no HTTP do without.

/** The worlds a credential can belong to. */
export const ENVIRONMENTS = ['sandbox', 'staging', 'production'] as const;

export const PERILS = ['flood', 'subsidence', 'wildfire', 'storm'] as const;
export type Peril = (typeof PERILS)[number];

export const CHANGE_TYPES = [
  'vegetation_loss',
  'vegetation_gain',
  'burn',
  'water_gain',
  'water_loss',
  'built_up',
  'ground_subsidence',
  'ground_uplift',
] as const;
