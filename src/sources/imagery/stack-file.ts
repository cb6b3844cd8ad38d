import { open, readdir, stat } from 'node:fs/promises';
import { InvalidInput } from '../../base/errors.ts';
import type { RasterStack, StackChoice, StackReader } from '../../app/imagery/raster-stack.ts';
import { arrayFiles, openArrayFolder } from './array-folder.ts';
import { openFolderStack } from './folder-stack.ts';
import { GeoTiffStackReader } from './geotiff-stack.ts';
import { isNetcdf, NETCDF_MAGIC_BYTES } from '../../formats/netcdf/file.ts';
import { unreadReason } from '../../formats/unread-format.ts';
import { isZarr } from '../../formats/zarr/folder.ts';
import { isAddress, type OpenRemote } from './remote-zarr.ts';
import { openNetcdfStack } from './netcdf-stack.ts';

/** Opens image stacks: GeoTIFF, NetCDF, HDF5, Zarr, or a folder of GeoTIFFs, NetCDF or HDF5. The format is detected from the content. */
export class StackFileReader implements StackReader {
  readonly #geotiff = new GeoTiffStackReader();
  readonly #remote: OpenRemote | undefined;

  /** @param remote opens Zarr by its address; undefined: only files are read */
  constructor(remote?: OpenRemote) {
    this.#remote = remote;
  }

  async open(path: string, choice?: StackChoice): Promise<RasterStack> {
    const wanted = choice ?? { metric: undefined, variable: undefined };
    if (this.#remote !== undefined && isAddress(path))
      return await openNetcdfStack(path, wanted, await this.#remote(path));
    const isZarrFolder = await isZarr(path);
    if (!isZarrFolder && (await isFolder(path))) {
      const files = await readdir(path);
      const arrays = files.some((file) => /\.tiff?$/i.test(file)) ? [] : arrayFiles(files);
      if (arrays.length > 0) return await openArrayFolder(path, arrays, wanted);
      return await openFolderStack(path, files, this.#geotiff);
    }
    const head = isZarrFolder ? undefined : await headOf(path);
    if (head === undefined || isNetcdf(head)) return await openNetcdfStack(path, wanted);
    if (head.toString('latin1', 0, 4) === 'PK\x03\x04')
      throw new InvalidInput(
        `${path} is a ZIP archive; expected a GeoTIFF, a folder of files, NetCDF, HDF5 or a folder of Zarr: unpack it first`,
        { param: 'values' },
      );
    if (choice?.variable !== undefined)
      throw new InvalidInput(
        `--variable: expected together with NetCDF, HDF5 or Zarr; ${path} is none of them`,
        {
          param: 'variable',
        },
      );
    const unread = unreadReason(path, head);
    if (unread !== undefined) throw new InvalidInput(unread, { param: 'values' });
    return await this.#geotiff.open(path, choice);
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false; // opening the file will report the error
  }
}

async function headOf(path: string): Promise<Buffer> {
  try {
    const file = await open(path, 'r');
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(NETCDF_MAGIC_BYTES), 0, null, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw new InvalidInput(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}
