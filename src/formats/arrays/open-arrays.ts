import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { NetcdfFile } from '../netcdf/file.ts';
import { isHdf5, openHdf5 } from '../hdf5/file.ts';
import { openZarr } from '../zarr/file.ts';
import { folderStore, isZarr, zarrDigest } from '../zarr/folder.ts';
import type { ArrayFile } from './array-file.ts';

/**
 * Opens a file of arrays: NetCDF classic or NetCDF-4, HDF5, or a folder of Zarr. The format is recognised from the
 * content.
 * @throws InvalidInput when it cannot be read or is damaged
 */
export async function openArrays(path: string): Promise<ArrayFile> {
  if (await isZarr(path)) return openZarr(folderStore(path));
  const head = Buffer.alloc(8);
  const file = await open(path, 'r').catch(() => undefined); // whoever opens it next reports the error
  await file?.read(head, 0, 8, 0);
  await file?.close();
  return isHdf5(head) ? openHdf5(path) : NetcdfFile.open(path);
}

/** SHA-256 (hex) of a file, or of all files of a folder of Zarr with their names. */
export async function arraysDigest(path: string): Promise<string> {
  if (await isZarr(path)) return zarrDigest(path);
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}
