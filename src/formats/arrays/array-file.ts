import type { NetcdfAttributes, NetcdfType } from '../netcdf/header.ts';

/** Type of the values of an array: those of NetCDF classic, and the others of HDF5 and Zarr. */
export type ArrayType = NetcdfType | 'ubyte' | 'ushort' | 'uint' | 'int64' | 'uint64' | 'string';

/** One array of a file. */
export interface ArrayVariable {
  readonly name: string;
  readonly type: ArrayType;
  /** Names and lengths; the first dimension varies slowest. */
  readonly dimensions: readonly { readonly name: string; readonly size: number }[];
  readonly attributes: NetcdfAttributes;
}

/** A file of named arrays with named dimensions: NetCDF, HDF5 or Zarr. */
export interface ArrayFile {
  readonly name: string;
  /** Name of the format, for messages. */
  readonly form: string;
  readonly variables: readonly ArrayVariable[];
  /** Attributes of the file as a whole. */
  readonly attributes: NetcdfAttributes;
  find(name: string): ArrayVariable | undefined;
  /**
   * Reads stored values of the rows `[from, to)`. A row contains the values at one index of the first dimension.
   * @param part part of each row; by default the whole row
   * @throws InvalidInput when the file is damaged
   */
  read(
    variable: ArrayVariable,
    from: number,
    to: number,
    part?: { readonly start: number; readonly count: number },
  ): Promise<Float64Array>;
  /**
   * Reads the rows `[from, to)` of one image of a variable, whose last two dimensions are rows and columns.
   * @param image index of each dimension before them
   */
  readRows(
    variable: ArrayVariable,
    image: readonly number[],
    from: number,
    to: number,
  ): Promise<Float64Array>;
  /** Reads all values of a variable. @throws InvalidInput when there are more than `most` */
  readAll(variable: ArrayVariable, most: number): Promise<Float64Array>;
  /** Reads all strings of a variable of strings or characters. @throws InvalidInput when there are more than `most` */
  readTexts(variable: ArrayVariable, most: number): Promise<readonly string[]>;
  /** Removes the leading dimensions of length 1 from a variable, up to the first wanted dimension. */
  trimmed(variable: ArrayVariable, isWanted: (dimension: string) => boolean): ArrayVariable;
  close(): Promise<void>;
}

/** Number of values in a row (the values at one index of the first dimension); 1 for a scalar. */
export function rowLength({ dimensions }: ArrayVariable): number {
  return dimensions.slice(1).reduce((product, { size }) => product * size, 1);
}
