import { InvalidInput } from '../../base/errors.ts';
import type { ArrayFile, ArrayVariable } from '../../formats/arrays/array-file.ts';
import { asWritten } from '../../formats/netcdf/cf-conventions.ts';
import { type GridAxes, horizontalGrid } from '../../formats/netcdf/horizontal-grid.ts';
import { mapGrid } from '../../geo/grid.ts';
import { MOST_STATIONS } from './netcdf-stations.ts';

/** A cell of a grid: the position of its centre, and its index in the rows and columns of one time. */
export interface Cell {
  readonly lat: number;
  readonly lng: number;
  readonly start: number;
}

interface Place {
  readonly lat: number;
  readonly lng: number;
}

/** Decimals of the centre of a projected cell [degrees]: about 1 cm. */
const DECIMALS = 7;

/**
 * Finds the cell of a grid that contains a place.
 * @throws InvalidInput when the grid does not reach it, or is none that can be used
 */
export function cellAt(file: ArrayFile, values: ArrayVariable, axes: GridAxes, place: Place): Promise<Cell> {
  return axes.isGeographic
    ? geographicCell(file, values, axes, place)
    : projectedCell(file, values, axes, place);
}

/** The cell whose latitude and longitude are nearest. Their distances need not be the same everywhere. */
async function geographicCell(
  file: ArrayFile,
  values: ArrayVariable,
  axes: GridAxes,
  { lat, lng }: Place,
): Promise<Cell> {
  const found = [
    await file.readAll(axes.y, MOST_STATIONS),
    await file.readAll(axes.x, MOST_STATIONS),
  ] as const;
  const [lats, lngs] = [
    found[0].map((value) => asWritten(value, axes.y)),
    found[1].map((value) => asWritten(value > 180 ? value - 360 : value, axes.x)),
  ];
  const row = nearest(lats, (value) => Math.abs(value - lat));
  const column = nearest(lngs, (value) => Math.abs(((((value - lng) % 360) + 540) % 360) - 180));
  if (row === undefined || column === undefined)
    throw new InvalidInput(
      `${file.name} does not reach ${lat}, ${lng}: its cells lie from ${Math.min(...lats)} to ${Math.max(...lats)} north, ${Math.min(...lngs)} to ${Math.max(...lngs)} east`,
      { param: 'lat' },
    );
  const start = isRowFirst(values, axes) ? row * lngs.length + column : column * lats.length + row;
  return { lat: lats[row]!, lng: lngs[column]!, start };
}

async function projectedCell(
  file: ArrayFile,
  values: ArrayVariable,
  axes: GridAxes,
  { lat, lng }: Place,
): Promise<Cell> {
  const { grid, isNorthUp } = await horizontalGrid(file, values, axes);
  const map = mapGrid(grid);
  const { width, height } = grid;
  const index = map.pixelAt([lng, lat]);
  if (index === null) {
    const [west, north] = map.toLngLat(0, 0).map((degrees) => degrees.toFixed(4));
    const [east, south] = map.toLngLat(width, height).map((degrees) => degrees.toFixed(4));
    throw new InvalidInput(
      `${file.name} does not reach ${lat}, ${lng}: its corners are ${north}, ${west} and ${south}, ${east}`,
      { param: 'lat' },
    );
  }
  const [column, row] = [index % width, Math.floor(index / width)];
  const [x, y] = map.pixelCentre(index).map((degrees) => Number(degrees.toFixed(DECIMALS))) as [
    number,
    number,
  ];
  const stored = isNorthUp ? row : height - 1 - row;
  const start = isRowFirst(values, axes) ? stored * width + column : column * height + stored;
  return { lat: y, lng: x, start };
}

function isRowFirst({ dimensions }: ArrayVariable, { y, x }: GridAxes): boolean {
  const place = (axis: ArrayVariable): number =>
    dimensions.findIndex(({ name }) => name === axis.dimensions[0]!.name);
  return place(y) < place(x);
}

/** Index of the nearest value; undefined when it is more than half a step away. The values must be evenly spaced. */
function nearest(values: Float64Array, distance: (value: number) => number): number | undefined {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (distance(values[i]!) < distance(values[best]!)) best = i;
  const step = values.length > 1 ? Math.abs(values[1]! - values[0]!) : Infinity;
  return distance(values[best]!) <= step * 0.5000001 ? best : undefined;
}
