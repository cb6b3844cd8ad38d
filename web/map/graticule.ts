/** Possible distances between two lines [degrees], smallest first. */
const STEPS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30];
/** Approximate maximum number of lines across the width of the view. */
const LINES = 5;
/** Maximum latitude of a parallel, north or south [degrees]; the Mercator map does not reach the poles. */
const LAST_LATITUDE = 85;

/** Meridians and parallels of a view, each with the label at its end. */
export interface Graticule {
  readonly meridians: readonly Line[];
  readonly parallels: readonly Line[];
}

export interface Line {
  /** Longitude of a meridian or latitude of a parallel [degrees]. Longitudes may be beyond 180, as in the view. */
  readonly at: number;
  readonly label: string;
}

/** Computes the meridians and parallels at round degrees in a view [degrees]. `west` and `east` may be beyond 180. */
export function graticule(west: number, south: number, east: number, north: number): Graticule {
  const step = STEPS.find((width) => (east - west) / width <= LINES) ?? STEPS.at(-1)!;
  const digits = Math.max(0, -Math.floor(Math.log10(step)));
  return {
    meridians: multiples(step, west, east).map((at) => ({
      at,
      label: label(((((at + 180) % 360) + 360) % 360) - 180, digits, 'E', 'W', 180),
    })),
    parallels: multiples(step, Math.max(south, -LAST_LATITUDE), Math.min(north, LAST_LATITUDE)).map((at) => ({
      at,
      label: label(at, digits, 'N', 'S', 90),
    })),
  };
}

/**
 * Returns the integer multiples of a step within an interval. Each multiple is computed separately, so that rounding
 * errors do not add up.
 */
function multiples(step: number, from: number, to: number): readonly number[] {
  const first = Math.ceil(from / step);
  const count = Math.max(0, Math.floor(to / step) - first + 1);
  return Array.from({ length: count }, (_, i) => Number(((first + i) * step).toFixed(6)));
}

function label(degrees: number, digits: number, positive: string, negative: string, limit: number): string {
  const text = `${Math.abs(degrees).toFixed(digits)}°`;
  if (degrees === 0 || Math.abs(degrees) === limit) return text;
  return `${text} ${degrees > 0 ? positive : negative}`;
}
