/** Viewing geometry of a radar track; satellites look to the right of their flight direction. */
export interface ViewGeometry {
  /** Angle between the radar ray and the vertical at the ground [degrees]. */
  readonly incidenceDeg: number;
  /** Direction of flight, clockwise from north [degrees]: about -10 for ascending tracks, 190 for descending ones. */
  readonly headingDeg: number;
}

/** A velocity or displacement along a line of sight, positive towards the satellite, with its standard error. */
export interface LineOfSight {
  readonly view: ViewGeometry;
  readonly value: number;
  readonly error: number;
}

/** Vertical and eastward movement from two tracks, with standard errors, in the unit of the input. */
export interface VerticalAndEast {
  readonly up: number;
  readonly upError: number;
  readonly east: number;
  readonly eastError: number;
}

/**
 * Minimum determinant of two views [1] (our choice): below it the views are too similar, and errors would grow
 * more than tenfold.
 */
const ALIKE = 0.1;

/**
 * Unit vector (e, n, u) from the ground to the satellite. The movement along the line of sight is `d = (e, n, u)
 * . (east, north, up)`.
 * @see doi:10.1007/0-306-47633-9 (Hanssen 2001, equation 5.1.1)
 */
export function sightVector({
  incidenceDeg,
  headingDeg,
}: ViewGeometry): readonly [e: number, n: number, u: number] {
  if (!(incidenceDeg >= 0 && incidenceDeg < 90))
    throw new RangeError(`incidence ${incidenceDeg}, expected [0, 90)`);
  const incidence = (incidenceDeg * Math.PI) / 180;
  const heading = (headingDeg * Math.PI) / 180;
  const across = Math.sin(incidence);
  return [-across * Math.cos(heading), across * Math.sin(heading), Math.cos(incidence)];
}

/**
 * Vertical and eastward movement from two tracks, ascending and descending. The northward movement is assumed to
 * be 0, because radar in a polar orbit hardly measures it.
 * @throws RangeError when the views are too similar
 */
export function decomposeSights(a: LineOfSight, b: LineOfSight): VerticalAndEast {
  const [eastA, , upA] = sightVector(a.view);
  const [eastB, , upB] = sightVector(b.view);
  const determinant = eastA * upB - eastB * upA;
  if (!(Math.abs(determinant) >= ALIKE)) {
    throw new RangeError('the two tracks look from the same side: vertical and east cannot be told apart');
  }
  return {
    up: (eastA * b.value - eastB * a.value) / determinant,
    upError: Math.hypot(eastA * b.error, eastB * a.error) / Math.abs(determinant),
    east: (upB * a.value - upA * b.value) / determinant,
    eastError: Math.hypot(upB * a.error, upA * b.error) / Math.abs(determinant),
  };
}

/** Vertical movement from one track, assuming that all movement is vertical. */
export function verticalOf({ view, value, error }: LineOfSight): {
  readonly up: number;
  readonly upError: number;
} {
  const cosine = sightVector(view)[2];
  return { up: value / cosine, upError: error / cosine };
}
