import { normalDeviate } from './normal-deviate.ts';

const MAX_TERMS = 10_000; // far past what convergence takes for shapes under 1e4
const EPSILON = 1e-12; // relative change under which a series or fraction has converged
const TINY = 1e-300; // stands for a zero denominator in Lentz's method

/** Natural logarithm of the gamma function, x > 0: Stirling's series after raising x to 10; absolute error under 1e-13. @see https://dlmf.nist.gov/5.11 equation 5.11.1 */
export function logGamma(x: number): number {
  let product = 1;
  let raised = x;
  while (raised < 10) {
    product *= raised;
    raised += 1;
  }
  const u = 1 / raised;
  const u2 = u * u;
  const series = u * (1 / 12 - u2 * (1 / 360 - u2 * (1 / 1260 - u2 * (1 / 1680 - u2 / 1188))));
  return (
    (raised - 0.5) * Math.log(raised) - raised + 0.5 * Math.log(2 * Math.PI) + series - Math.log(product)
  );
}

/**
 * Probabilities that a gamma variate of unit scale lies below and above x, each to full relative precision.
 * @see https://dlmf.nist.gov/8.11 equation 8.11.4 (series), https://dlmf.nist.gov/8.9 equation 8.9.2 (fraction)
 */
export function gammaTails(
  x: number,
  shape: number,
  logGammaOfShape: number,
): readonly [below: number, above: number] {
  if (!(x > 0)) return [0, 1];
  const front = Math.exp(shape * Math.log(x) - x - logGammaOfShape);
  if (x < shape + 1) {
    let term = 1 / shape;
    let sum = term;
    for (let k = 1; k < MAX_TERMS && term > EPSILON * sum; k++) {
      term *= x / (shape + k);
      sum += term;
    }
    const below = front * sum;
    return [below, 1 - below];
  }
  let b = x + 1 - shape;
  let c = 1 / TINY;
  let d = 1 / b;
  let value = d;
  for (let k = 1; k < MAX_TERMS; k++) {
    const a = k * (shape - k);
    b += 2;
    d = a * d + b;
    d = 1 / (Math.abs(d) < TINY ? TINY : d);
    c = b + a / c;
    if (Math.abs(c) < TINY) c = TINY;
    const change = d * c;
    value *= change;
    if (Math.abs(change - 1) < EPSILON) break;
  }
  const above = front * value;
  return [1 - above, above];
}

/** Logarithms of the shapes of the table: from .05, rain of a desert, to 1e4, as good as normal (ours). */
const LOG_LEAST = Math.log(0.05);
const LOG_MOST = Math.log(1e4);
const NODES = 400; // linear between them: relative error of the shape under 1e-4

/** Change of the coefficient of variation under which the shape is not worked out again (ours): a tenth of what ten years of days tell it to. */
const SAME_SHAPE = 0.003;
/** Coefficient of variation of cube roots up to which they are normal to a tenth of a deviation within 1.1 of the mean (by the exact law). */
const NEARLY_NORMAL = 0.5;
/** Coefficients of the normal tail. @see Abramowitz & Stegun 1964, 26.2.16 */
const P = 0.33267;
const B = [0.4361836, -0.1201676, 0.937298] as const;

/** Logarithm of the squared coefficient of variation of the cube root of a gamma variate. */
function logVariation(logShape: number): number {
  const shape = Math.exp(logShape);
  const logRatio = logGamma(shape + 2 / 3) + logGamma(shape) - 2 * logGamma(shape + 1 / 3);
  return Math.log(Math.expm1(logRatio));
}

const VARIATIONS = Float64Array.from({ length: NODES + 1 }, (_, i) =>
  logVariation(LOG_LEAST + ((LOG_MOST - LOG_LEAST) * i) / NODES),
);

/** Shape of the gamma law whose cube root has a coefficient of variation; within [.05, 1e4]. */
export function shapeOfCubeRoots(variation: number): number {
  const wanted = 2 * Math.log(variation);
  if (!(wanted < VARIATIONS[0]!)) return Math.exp(LOG_LEAST);
  if (wanted <= VARIATIONS[NODES]!) return Math.exp(LOG_MOST);
  let low = 0;
  let high = NODES;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (VARIATIONS[middle]! >= wanted) low = middle;
    else high = middle;
  }
  const part = (VARIATIONS[low]! - wanted) / (VARIATIONS[low]! - VARIATIONS[high]!);
  return Math.exp(LOG_LEAST + ((LOG_MOST - LOG_LEAST) * (low + part)) / NODES);
}

/**
 * Gamma law with a mass at zero, told by what its cube roots are like: nearly normal (Wilson & Hilferty 1931), so the
 * cube root is what a seasonal climatology is fitted to, and the law follows from its mean and deviation by moments.
 * The score of a value is its standardised precipitation index (McKee, Doesken & Kleist 1993).
 */
export class GammaLaw {
  #mean = Number.NaN;
  #deviation = Number.NaN;
  #dry = 0;
  #zeroScore = 0;
  #medianDeviate = 0;
  #variation = Number.NaN;
  #shape = Number.NaN;
  #logGamma = Number.NaN;
  /** Mean of the cube root at unit scale. */
  #root = Number.NaN;

  /** @param mean, deviation of the cube roots of what is not zero @param dry probability of zero */
  set(mean: number, deviation: number, dry: number): void {
    this.#mean = mean;
    this.#deviation = deviation;
    if (dry === this.#dry) return;
    this.#dry = dry;
    this.#zeroScore = dry < 0.5 ? -normalDeviate(Math.max(dry, TINY)) : 0;
    this.#medianDeviate = dry < 0.5 ? normalDeviate((0.5 - dry) / (1 - dry)) : Number.POSITIVE_INFINITY;
  }

  /** Cube root of the median. */
  get medianRoot(): number {
    return this.#dry === 0 ? this.#mean : Math.max(0, this.#mean - this.#deviation * this.#medianDeviate);
  }

  /** Whether `roughScore` tells it to a tenth where it is between -1.1 and 1.1. */
  get isNearlyNormal(): boolean {
    return this.#deviation <= NEARLY_NORMAL * this.#mean;
  }

  /** The score of what is not zero, as if cube roots were normal. @param root the value's cube root */
  roughScore(root: number): number {
    const z = (root - this.#mean) / this.#deviation;
    if (this.#dry === 0) return z;
    const w = 1 / (1 + P * Math.abs(z));
    const tail = Math.exp(-0.5 * z * z) * (1 / Math.sqrt(2 * Math.PI)) * w * (B[0] + w * (B[1] + w * B[2]));
    const over = (1 - this.#dry) * (z > 0 ? tail : 1 - tail);
    return over > 0.5 ? -normalDeviate(1 - over) : normalDeviate(over);
  }

  /**
   * Normal deviate of a value: of the probability of so little where that is the smaller tail, of so much else.
   * @param value in the unit of the cubes; at or below 0: none
   */
  score(value: number): number {
    if (!(value > 0)) return this.#zeroScore;
    this.#findShape();
    const root = Math.max(this.#mean, this.#deviation) / this.#root;
    const [below, above] = gammaTails(value / (root * root * root), this.#shape, this.#logGamma);
    const under = this.#dry + (1 - this.#dry) * below;
    const over = (1 - this.#dry) * above;
    return under < over ? -normalDeviate(Math.max(under, TINY)) : normalDeviate(Math.max(over, TINY));
  }

  #findShape(): void {
    const variation = this.#mean > 0 ? this.#deviation / this.#mean : Number.POSITIVE_INFINITY;
    if (Math.abs(variation / this.#variation - 1) < SAME_SHAPE) return;
    this.#variation = variation;
    this.#shape = shapeOfCubeRoots(variation);
    this.#logGamma = logGamma(this.#shape);
    this.#root = Math.exp(logGamma(this.#shape + 1 / 3) - this.#logGamma);
  }
}
