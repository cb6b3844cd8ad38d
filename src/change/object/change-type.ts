import { orbitPolarisation } from '../../raster/backscatter.ts';
import type { ChangeType, MetricTraits } from '../metric.ts';
import type { Move } from '../pixel/pixel-events.ts';

/**
 * Change of the burn ratio at or below which the burn damage is moderate or worse (Key & Benson 2006, USDA
 * RMRS-GTR-164-CD, table LA-2).
 */
const BURN_LOSS = -0.27;
/**
 * Burn ratio below which a surface is clearly brighter in the short-wave infrared than in the near infrared. Char
 * often has such a ratio, bare soil seldom (our choice).
 */
const CHAR_RATIO = -0.1;
/**
 * Water index above which a pixel is open water (Xu 2006, doi:10.1080/01431160600589179), and minimum rise or fall of
 * the index that counts as a change (our choice).
 */
const WATER_INDEX = 0;
const WATER_MOVE = 0.2;
/**
 * Built-up index above which a pixel with hardly any green is built up (Zha, Gao & Ni 2003,
 * doi:10.1080/01431160304987); minimum rise of the index that counts as a change, and greenness below which a pixel
 * has hardly any green (both our choice).
 */
const BUILT_INDEX = 0;
const BUILT_MOVE = 0.1;
const HARDLY_GREEN = 0.2;
/** Backscatter below which a surface is as smooth as open water [dB] (our choice). */
const SMOOTH_DB: Readonly<Record<string, number>> = { vv: -16, vh: -23 };

/**
 * Returns the type of change that a departure shows: the type that `traits` has for its direction, unless the moves
 * or values of the followed metrics show a different type. Null when `traits` has no type for this direction.
 * @param metric metric of the departure, with its `traits`
 * @param moves move of every followed metric, by key
 */
export function changeType(
  metric: string,
  traits: MetricTraits,
  direction: -1 | 1,
  moves: ReadonlyMap<string, Move>,
): ChangeType | null {
  const own = direction < 0 ? traits.fall : traits.rise;
  if (own === null || traits.phenomenon === 'motion' || traits.phenomenon === 'water') return own;
  return (
    waterType(moves) ?? smoothType(metric, direction, moves) ?? groundType(own, traits, direction, moves)
  );
}

function waterType(moves: ReadonlyMap<string, Move>): ChangeType | null {
  const water = moves.get('mndwi') ?? moves.get('ndwi');
  if (water === undefined) return null;
  const { residual, value } = water;
  if (residual >= WATER_MOVE && value > WATER_INDEX) return 'water_gain';
  return residual <= -WATER_MOVE && value - residual > WATER_INDEX && value <= WATER_INDEX
    ? 'water_loss'
    : null;
}

function smoothType(metric: string, direction: -1 | 1, moves: ReadonlyMap<string, Move>): ChangeType | null {
  const limit = SMOOTH_DB[orbitPolarisation(metric) ?? metric];
  const move = moves.get(metric);
  if (limit === undefined || move === undefined) return null;
  if (direction < 0) return move.value < limit ? 'water_gain' : null;
  return move.value - move.residual < limit ? 'water_loss' : null;
}

function groundType(
  own: ChangeType,
  traits: MetricTraits,
  direction: -1 | 1,
  moves: ReadonlyMap<string, Move>,
): ChangeType {
  if (traits.phenomenon !== 'greenness' || traits.sense * direction > 0) return own;
  const burn = moves.get('nbr');
  const green = moves.get('ndvi') ?? moves.get('evi') ?? moves.get('savi');
  const built = moves.get('ndbi');
  if (burn !== undefined && burn.residual <= BURN_LOSS && burn.value < CHAR_RATIO) return 'burn';
  if (built === undefined || green === undefined) return own;
  const isBuilt =
    built.residual >= BUILT_MOVE &&
    built.value > BUILT_INDEX &&
    green.residual < 0 &&
    green.value < HARDLY_GREEN;
  if (isBuilt) return 'built_up';
  // A rise of the built-up index alone may also mean bare ground. If the conditions above fail although greenness was
  // observed, the change is a loss of vegetation.
  return own === 'built_up' ? 'vegetation_loss' : own;
}
