// Words of the contract that the use cases also need. They are not in the files of the schemas, because the library
// that builds the schemas takes long to load: commands and threads without HTTP do not load it.

/** The environments that a credential can belong to. */
export const ENVIRONMENTS = ['sandbox', 'staging', 'production'] as const;

export const PERILS = ['flood', 'subsidence', 'wildfire', 'storm'] as const;
export type Peril = (typeof PERILS)[number];

export const CHANGE_STATUSES = ['suspected', 'confirmed', 'recovered', 'rejected'] as const;

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

/**
 * What an answer rests on, in ascending order; the classes mean the same for all perils.
 *
 * | class | what says something about the place |
 * | --- | --- |
 * | `none` | nothing: the answer is the prior of the peril, with confidence 0 |
 * | `regional` | climate, country, published figures of the region, distance to the shore |
 * | `terrain` | the ground: heights, distances to water, soil, land cover |
 * | `map` | a map or climatology of the hazard itself, coarser than what the hazard varies over |
 * | `fine` | such a map that resolves it: cells of at most 100 m, for gusts of at most 10 km |
 * | `measured` | records or measured displacement of the place itself |
 */
export const EVIDENCE_CLASSES = ['none', 'regional', 'terrain', 'map', 'fine', 'measured'] as const;
export type EvidenceClass = (typeof EVIDENCE_CLASSES)[number];

/** Severities of anomalies, from the least to the greatest. */
export const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const;

/** How often a subscription may gather what happens. */
export const DIGESTS = ['hourly', 'daily'] as const;
export type Digest = (typeof DIGESTS)[number];
