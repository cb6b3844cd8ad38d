import type { Peril } from '../contract/vocabulary.ts';
import type { Member } from './member.ts';

/** Kinds of phenomena. Which of them have a cause in common is in `links.ts`. */
export type Phenomenon =
  | 'rain'
  | 'wind'
  | 'air'
  | 'water'
  | 'fire'
  | 'plants'
  | 'ground'
  | 'building'
  | 'other';

/** What an anomaly of a metric is called when its values are above or below what was expected. */
interface MetricWords {
  readonly phenomenon: Phenomenon;
  readonly above: string;
  readonly below: string;
}

const VEGETATION = { phenomenon: 'plants', above: 'dense vegetation', below: 'thin vegetation' } as const;
const WET_PLANTS = { phenomenon: 'plants', above: 'moist vegetation', below: 'dry vegetation' } as const;
const SURFACE_WATER = {
  phenomenon: 'water',
  above: 'water on the ground',
  below: 'little water on the ground',
} as const;
const WET_MONTHS = { phenomenon: 'rain', above: 'a wet season', below: 'drought' } as const;
const RIVER = { phenomenon: 'water', above: 'high water', below: 'low water' } as const;
const WIND = { phenomenon: 'wind', above: 'strong wind', below: 'calm air' } as const;
const MOTION = { phenomenon: 'ground', above: 'moving ground', below: 'moving ground' } as const;

const METRIC_WORDS: Readonly<Record<string, MetricWords>> = {
  precipitation: { phenomenon: 'rain', above: 'heavy rain', below: 'little rain' },
  precipitation_30d: { phenomenon: 'rain', above: 'a wet month', below: 'a dry month' },
  spi_3: WET_MONTHS,
  spi_12: WET_MONTHS,
  snow_depth: { phenomenon: 'rain', above: 'deep snow', below: 'little snow' },
  wind: WIND,
  gust: WIND,
  pressure: { phenomenon: 'wind', above: 'high pressure', below: 'low pressure' },
  temperature: { phenomenon: 'air', above: 'a warm spell', below: 'a cold spell' },
  humidity: { phenomenon: 'air', above: 'damp air', below: 'dry air' },
  fwi: { phenomenon: 'air', above: 'fire weather', below: 'low fire danger' },
  soil_moisture: { phenomenon: 'water', above: 'wet soil', below: 'dry soil' },
  river_flow: RIVER,
  river_level: RIVER,
  mndwi: SURFACE_WATER,
  ndwi: SURFACE_WATER,
  ndvi: VEGETATION,
  evi: VEGETATION,
  veg_anom: { phenomenon: 'plants', above: 'thin vegetation', below: 'dense vegetation' },
  nbr: { phenomenon: 'plants', above: 'dense vegetation', below: 'bare or burnt ground' },
  moisture: WET_PLANTS,
  ndmi: WET_PLANTS,
  ndbi: { phenomenon: 'building', above: 'more built-up ground', below: 'less built-up ground' },
  displacement: MOTION,
  displacement_up: { phenomenon: 'ground', above: 'rising ground', below: 'sinking ground' },
  displacement_east: MOTION,
  displacement_north: MOTION,
  displacement_rate: MOTION,
};

/** What a type of change is, and the peril that it concerns. */
const CHANGE_WORDS: Readonly<
  Record<string, { readonly phenomenon: Phenomenon; readonly words: string; readonly peril: Peril | null }>
> = {
  vegetation_loss: { phenomenon: 'plants', words: 'loss of vegetation', peril: null },
  vegetation_gain: { phenomenon: 'plants', words: 'new vegetation', peril: null },
  conversion: { phenomenon: 'plants', words: 'a change of land use', peril: null },
  burn: { phenomenon: 'fire', words: 'burnt ground', peril: 'wildfire' },
  water_gain: { phenomenon: 'water', words: 'new water', peril: 'flood' },
  water_loss: { phenomenon: 'water', words: 'loss of water', peril: null },
  built_up: { phenomenon: 'building', words: 'new buildings', peril: null },
  ground_subsidence: { phenomenon: 'ground', words: 'sinking ground', peril: 'subsidence' },
  ground_uplift: { phenomenon: 'ground', words: 'rising ground', peril: 'subsidence' },
};

/** The kind of phenomenon of a member, in words, and its peril. */
export function phenomenonOf({ kind, what, sign, peril }: Pick<Member, 'kind' | 'what' | 'sign' | 'peril'>): {
  readonly phenomenon: Phenomenon;
  readonly words: string;
  readonly peril: Peril | null;
} {
  const known = (kind === 'change' ? CHANGE_WORDS : METRIC_WORDS)[what];
  if (known === undefined)
    return { phenomenon: 'other', words: `unusual ${what.replaceAll('_', ' ')}`, peril };
  if ('words' in known) return known;
  return { phenomenon: known.phenomenon, words: sign > 0 ? known.above : known.below, peril };
}

/** Whether a change of a type lasts from its first departure until it recovers: the ground goes on moving. */
export function isLasting(changeType: string): boolean {
  return CHANGE_WORDS[changeType]?.phenomenon === 'ground';
}
