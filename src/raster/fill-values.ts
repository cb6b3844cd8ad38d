/** Values that programs write for nodata, often without declaring them as nodata in the file. */
const FILL_VALUES = new Set([-9999, -99_999, -32_768, -32_767, -2_147_483_648]);
/** The highest of them: nearly all samples are above it, and need no look-up. */
const HIGHEST = Math.max(...FILL_VALUES);
/** Values of a greater magnitude, such as the lowest float32, are also considered nodata. */
const HUGE = 1e30;

/** Whether a raw sample is a value that programs commonly write where nothing was observed. */
export function isFillValue(raw: number): boolean {
  if (raw > HIGHEST) return raw > HUGE;
  return FILL_VALUES.has(raw) || raw < -HUGE;
}
