/** One area of a file, or why it cannot be used. */
export type FileArea =
  | {
      /** Name that the file gives it; undefined: none. */
      readonly name: string | undefined;
      /** GeoJSON geometry in longitudes and latitudes, not validated yet. */
      readonly geometry: unknown;
      /** Whether its positions had heights, which are dropped. */
      readonly hadHeights: boolean;
    }
  | { readonly name: string | undefined; readonly problem: string };

/** Selects what is read of a file of areas. */
export interface AreaFileChoice {
  /** Table of a GeoPackage, or file of an archive; undefined: the only one. */
  readonly layer?: string | undefined;
  /** Property with the names; undefined: `name`, if there is one. */
  readonly nameField?: string | undefined;
}

/** Maximum number of areas of one file. */
export const MOST_AREAS = 10_000;

export interface AreaFileReader {
  /**
   * Reads the areas of a file: GeoJSON, KML, KMZ, GeoPackage, shapefile, FlatGeobuf or GeoParquet.
   * @throws InvalidInput when the file cannot be read, or has no or too many areas
   */
  readAreas(path: string, choice: AreaFileChoice): Promise<readonly FileArea[]>;
}
