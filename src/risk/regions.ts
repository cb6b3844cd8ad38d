/** The continents that have JRC damage curves. */
export type Continent =
  | 'europe'
  | 'north-america'
  | 'central-and-south-america'
  | 'asia'
  | 'africa'
  | 'oceania';

/** A piecewise linear function `y(x)` through points of ascending x, constant beyond its ends. */
export type BrokenLine = readonly (readonly [x: number, y: number])[];

/**
 * Southern border of the United States with Mexico and along the Straits of Florida: points of (longitude,
 * latitude) [degrees], accurate to about 0.5 degrees.
 */
const SOUTH_OF_USA: BrokenLine = [
  [-117.2, 32.5],
  [-114.7, 32.6],
  [-111, 31.3],
  [-106.5, 31.8],
  [-104.5, 29.6],
  [-103.2, 29],
  [-101.4, 29.8],
  [-99.5, 27.5],
  [-97.1, 25.9],
  [-84, 24.3],
  [-80, 24.3],
  [-79.4, 27.5],
  [-72, 27.5],
];

/** North coast of Africa: points of (longitude, latitude) [degrees]. */
const NORTH_OF_AFRICA: BrokenLine = [
  [-6, 35.95],
  [-1, 36],
  [3, 37.2],
  [11, 37.5],
  [12, 34.5],
  [33, 33],
  [34.5, 31.3],
];

/** East coast of Africa along Sinai and the Red Sea: points of (latitude, longitude) [degrees]. */
const EAST_OF_AFRICA: BrokenLine = [
  [11.5, 52],
  [12.5, 43.3],
  [20, 38.5],
  [28, 34.2],
  [31.3, 34.3],
];

/**
 * Border of Europe with Asia: points of (latitude, longitude) [degrees]. Anatolia and the Caucasus count as Asia.
 */
const EAST_OF_EUROPE: BrokenLine = [
  [35, 27],
  [40, 26],
  [41, 29],
  [43.5, 40],
  [47, 50],
  [52, 60],
];

/**
 * Continent of a position, from borders drawn by hand. Within a degree of a border the result may be the
 * neighbouring continent.
 */
export function continentOf(lat: number, lng: number): Continent {
  if (lng < -30) {
    if (lng < -130 && lat < 18) return 'oceania';
    return lat >= heightAt(SOUTH_OF_USA, lng) || (lng < -130 && lat >= 18)
      ? 'north-america'
      : 'central-and-south-america';
  }
  if (lat <= heightAt(NORTH_OF_AFRICA, lng) && lng <= heightAt(EAST_OF_AFRICA, lat)) return 'africa';
  if ((lat < -10 && lng > 112) || (lat < 0 && lng > 141) || (lat < 22 && lng > 143)) return 'oceania';
  return lat > 34 && lng <= heightAt(EAST_OF_EUROPE, lat) ? 'europe' : 'asia';
}

/** Value of a piecewise linear function at `x`. */
export function heightAt(line: BrokenLine, x: number): number {
  if (x <= line[0]![0]) return line[0]![1];
  for (let i = 1; i < line.length; i++) {
    // Read by index, because destructuring the tuple is slower here.
    const to = line[i]!;
    if (x > to[0]) continue;
    const from = line[i - 1]!;
    return from[1] + ((x - from[0]) / (to[0] - from[0])) * (to[1] - from[1]);
  }
  return line[line.length - 1]![1];
}
