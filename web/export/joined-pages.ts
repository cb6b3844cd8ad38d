/** Formats of files that a list can be saved as, with their media types. */
export const FILE_FORMATS = {
  csv: { name: 'CSV', media: 'text/csv' },
  geojson: { name: 'GeoJSON', media: 'application/geo+json' },
  parquet: { name: 'Parquet', media: 'application/vnd.apache.parquet' },
} as const;
export type FileFormat = keyof typeof FILE_FORMATS;

/**
 * Joins the pages of a list to files: pages of CSV to one with one header, pages of GeoJSON to one FeatureCollection.
 * Parquet files cannot be joined without reading them; programs that read such files read a folder of them as one.
 * @param pages at least one
 */
export function joinPages(
  format: FileFormat,
  pages: readonly Uint8Array[],
): readonly (Uint8Array | string)[] {
  if (format === 'parquet' || pages.length === 1) return pages;
  const texts = pages.map((page) => new TextDecoder().decode(page));
  // A name of a column has no line break, so the header ends at the first.
  if (format === 'csv')
    return [texts.map((text, i) => (i === 0 ? text : text.slice(text.indexOf('\n') + 1))).join('')];
  const features = texts.flatMap(
    (text) => (JSON.parse(text) as { readonly features: readonly unknown[] }).features,
  );
  return [JSON.stringify({ type: 'FeatureCollection', features })];
}
