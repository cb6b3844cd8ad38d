/** Where a point is, in the file's reference system: degrees of longitude and latitude, or metres. */
interface Place {
  readonly x: number;
  readonly y: number;
}

/** A point on the ground whose velocity was measured, along the line of sight or upwards. */
export interface DisplacementPoint extends Place {
  /** [mm/yr] */
  readonly velocity: number;
  /** Standard error [mm/yr]; NaN where none is given. */
  readonly error: number;
  /** [mm/yr2]; NaN where none is given. */
  readonly acceleration: number;
  /** Vertical part of the unit vector to the satellite, in (0, 1], where the file tells how it looked at the point. */
  readonly sightUp?: number;
}

/** A point whose displacement was measured again and again. */
export interface DisplacementRecord extends Place {
  /** Ascending, milliseconds since the Unix epoch. */
  readonly timesMs: readonly number[];
  /** [mm] */
  readonly displacementsMm: readonly number[];
}

/** The points of one file: either kind. */
export interface DisplacementPoints {
  readonly crs: 'EPSG:4326' | 'EPSG:3035';
  readonly points: readonly DisplacementPoint[];
  readonly records: readonly DisplacementRecord[];
}

/** Reads a file of points with their velocities, or with their series. */
export interface DisplacementPointReader {
  /** @throws InvalidInput naming the column or line that cannot be used */
  readPoints(path: string): Promise<DisplacementPoints>;
}
