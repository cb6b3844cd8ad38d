/**
 * Share of snow among the clear and snowy looks at a pixel from which the snow is persistent [1]. CCDC makes no
 * time-series model of such a pixel (Zhu & Woodcock 2014, doi:10.1016/j.rse.2014.01.011).
 */
const PERSISTENT_SNOW_SHARE = 0.75;

/**
 * Whether the ground of a pixel is seen so seldom without snow that no change can be claimed there.
 * @param clear number of scenes that show the ground or water
 * @param snow number of scenes that show snow or ice
 */
export function isPersistentSnow(clear: number, snow: number): boolean {
  return snow > 0 && snow >= PERSISTENT_SNOW_SHARE * (clear + snow);
}
