/**
 * Buildup Index (BUI), 0 or more: the amount of fuel available to a fire.
 * @param dmc Duff Moisture Code, 0 or more
 * @param dc Drought Code, 0 or more
 * @see Van Wagner & Pickett 1985, FTR 33 eq. 27
 */
export function buildupIndex(dmc: number, dc: number): number {
  if (dmc === 0) return 0;
  const index = (0.8 * dc * dmc) / (dmc + 0.4 * dc);
  if (index >= dmc) return index;
  // eq. 27b, in which the factor `1 - 0.8 dc / (dmc + 0.4 dc)` is equal to `1 - index / dmc`.
  return Math.max(0, dmc - (1 - index / dmc) * (0.92 + (0.0114 * dmc) ** 1.7));
}
