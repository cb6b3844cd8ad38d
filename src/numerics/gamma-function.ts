/** Lanczos coefficients for g = 7, n = 9 (Godfrey 2001); relative error below 1e-14. */
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
] as const;

/** The gamma function of a real argument; infinite at its poles 0, -1, -2, ... */
export function gammaFunction(x: number): number {
  if (x < 0.5) {
    if (Number.isInteger(x)) return Infinity;
    return Math.PI / (Math.sin(Math.PI * x) * gammaFunction(1 - x));
  }
  const z = x - 1;
  let sum: number = LANCZOS[0];
  for (let i = 1; i < LANCZOS.length; i++) sum += LANCZOS[i]! / (z + i);
  const t = z + 7.5; // g + 1/2
  return Math.sqrt(2 * Math.PI) * t ** (z + 0.5) * Math.exp(-t) * sum;
}
