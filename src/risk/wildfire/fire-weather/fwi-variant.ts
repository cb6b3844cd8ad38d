/**
 * The two published variants of the Fire Weather Index System. `ftr33` is exactly Forestry Technical Report 33:
 * moisture coefficient 147.2, and duff moisture by `exp(5.6348 - P/43.43)`. `current` is the current program code
 * of the Canadian Forest Service: moisture coefficient 250 * 59.5/101, so that a moisture code of 0 is exactly
 * 250 % moisture, and duff moisture by `280 exp(-0.023 P)`.
 * @see Van Wagner & Pickett 1985, FTR 33
 * @see doi:10.1186/s13717-017-0070-z (Wang, Wotton, Cantin et al. 2017, the current code)
 */
export type FwiVariant = 'ftr33' | 'current';

const COEFFICIENTS: Readonly<Record<FwiVariant, number>> = {
  ftr33: 147.2, // [% moisture], FTR 33 eq. 1
  current: (250 * 59.5) / 101, // [% moisture], 147.27723
};

/** Moisture content [% of dry weight] of fine fuel at Fine Fuel Moisture Code `ffmc` (FTR 33 eq. 1). */
export function fineFuelMoisture(ffmc: number, variant: FwiVariant): number {
  return (COEFFICIENTS[variant] * (101 - ffmc)) / (59.5 + ffmc);
}

/** Fine Fuel Moisture Code of a moisture content [% of dry weight], within [0, 101] (FTR 33 eq. 10). */
export function fineFuelCode(moisture: number, variant: FwiVariant): number {
  return Math.min(101, Math.max(0, (59.5 * (250 - moisture)) / (COEFFICIENTS[variant] + moisture)));
}
