/** Position in the reference system of the file: longitude and latitude in degrees, or metres. */
interface Place {
  readonly x: number;
  readonly y: number;
}

/** A point with a measured velocity, along the line of sight or vertical. */
export interface DisplacementPoint extends Place {
  /** Velocity [mm/yr]. */
  readonly velocity: number;
  /** Standard error [mm/yr]; NaN when unknown. */
  readonly error: number;
  /** Acceleration [mm/yr2]; NaN when unknown. */
  readonly acceleration: number;
  /** Vertical component of the unit vector to the satellite, in (0, 1]. Absent when the file does not state it. */
  readonly sightUp?: number;
}

/** A point with a series of measured displacements. */
export interface DisplacementRecord extends Place {
  /** Times of the measurements, ascending [ms since the Unix epoch]. */
  readonly timesMs: readonly number[];
  /** Displacement at each time [mm]. */
  readonly displacementsMm: readonly number[];
}

/** The points of one file, either with velocities or with series. */
export interface DisplacementPoints {
  readonly crs: 'EPSG:4326' | 'EPSG:3035';
  readonly points: readonly DisplacementPoint[];
  readonly records: readonly DisplacementRecord[];
  /** Whether the points are GNSS stations: each then stands for its surroundings, not for one cell. */
  readonly areStations?: true;
}

/** What a file of one series does not state itself. */
export interface DisplacementFileOptions {
  /** Position of the station [decimal degrees]. */
  readonly lat?: number | undefined;
  readonly lng?: number | undefined;
  /** Column of the upward displacement. */
  readonly column?: string | undefined;
  /** Unit of the displacement. Default: the unit that the file states, or mm. */
  readonly unit?: string | undefined;
  /** Window in the reference system of the file: points of a table outside it are left out. Absent: all points. */
  readonly within?: readonly [left: number, bottom: number, right: number, top: number] | undefined;
}

/** Reads files of displacement points, tables in ZIP archives as EGMS gives them, or all such files of a folder. */
export interface DisplacementPointReader {
  /** @throws InvalidInput that names the invalid file, column or line */
  readPoints(path: string, options?: DisplacementFileOptions): Promise<DisplacementPoints>;
}
