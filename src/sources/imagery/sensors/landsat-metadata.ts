/** What the metadata file of a Landsat scene tells. */
export interface LandsatMetadata {
  /** When its centre was taken [ms since the Unix epoch]; null where it is not told. */
  readonly timeMs: number | null;
  /** Share of the scene under cloud, 0 to 1; null where it is not told. */
  readonly cloudShare: number | null;
  /** Reflectance at the top of the atmosphere = raw * scale + offset, by band number. */
  readonly top: ReadonlyMap<number, { readonly scale: number; readonly offset: number }>;
}

/**
 * Reads the `_MTL.txt` of a Landsat scene, Collection 1 or 2.
 * @see USGS LSDS-1414 and LSDS-1416, table of metadata
 */
export function readLandsatMetadata(text: string): LandsatMetadata {
  const values = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, key, value] = /^\s*([A-Z][A-Z0-9_]*)\s*=\s*"?([^"]*?)"?\s*$/.exec(line) ?? [];
    // Level 2 has the numbers of level 1 too, under the same keys, further down.
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
    cloudShare: cloud !== null && cloud >= 0 && cloud <= 100 ? cloud / 100 : null, // -1: not worked out
    top,
  };
}
