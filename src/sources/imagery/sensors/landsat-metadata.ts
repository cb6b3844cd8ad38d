import type { SceneMetadata } from './sensor.ts';

/**
 * Reads the `_MTL.txt` of a Landsat scene, Collection 1 or 2.
 * @see USGS LSDS-1414 and LSDS-1416, table of metadata
 */
export function readLandsatMetadata(text: string): SceneMetadata {
  const values = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, key, value] = /^\s*([A-Z][A-Z0-9_]*)\s*=\s*"?([^"]*?)"?\s*$/.exec(line) ?? [];
    // Level 2 files repeat the keys of level 1 further down: the first value is used.
    if (key !== undefined && !values.has(key)) values.set(key, value!);
  }
  const number = (key: string): number | null => {
    const value = Number(values.get(key) ?? Number.NaN);
    return Number.isFinite(value) ? value : null;
  };
  const [date, clock] = [values.get('DATE_ACQUIRED'), values.get('SCENE_CENTER_TIME')];
  const timeMs = Date.parse(`${date}T${clock?.replace(/(\.\d{3})\d*/, '$1')}`);
  const cloud = number('CLOUD_COVER');
  const top = new Map<number, { readonly scale: number; readonly offset: number }>();
  for (let band = 1; band <= 9; band++) {
    const [scale, offset] = [number(`REFLECTANCE_MULT_BAND_${band}`), number(`REFLECTANCE_ADD_BAND_${band}`)];
    if (scale !== null && offset !== null) top.set(band, { scale, offset });
  }
  return {
    timeMs: Number.isNaN(timeMs) ? null : timeMs,
    cloudShare: cloud !== null && cloud >= 0 && cloud <= 100 ? cloud / 100 : null, // -1: not computed
    top,
  };
}
