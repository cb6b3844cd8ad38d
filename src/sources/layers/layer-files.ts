import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { InvalidInput } from '../../base/errors.ts';
import type { RasterChoice, RasterFacts } from '../../app/layers/layer-shelf.ts';
import { unreadReason } from '../../formats/unread-format.ts';
import { isJpeg2000 } from '../../formats/jpeg2000/boxes.ts';
import { isNetcdf } from '../../formats/netcdf/file.ts';
import { isParquet } from '../../formats/parquet/lines.ts';
import { isZarr } from '../../formats/zarr/folder.ts';
import { openArrayLayer } from './array-layer.ts';
import type { BandContent } from './band-content.ts';
import { openJpeg2000Layer } from './jpeg2000-layer.ts';
import { openLayerSource } from './layer-source.ts';
import { transcodeLayer } from './layer-transcoding.ts';
import { type RowLayer, transcodeRows } from './row-layer.ts';
import { openTableLayer } from './table-layer.ts';

/** Number of bytes at the start of a file that tell its format. */
const HEAD_BYTES = 12;

/** Reads the files that become layers: GeoTIFF, NetCDF, HDF5, Zarr, JPEG 2000 and tables of cells in Parquet. */
export interface LayerFiles {
  /** Properties of one band of a file. @throws InvalidInput that names the file when it cannot be used */
  describe(choice: RasterChoice): Promise<Omit<RasterFacts, 'sha256'>>;
  /** Transcodes one band to the band file `path`. @throws InvalidInput as `describe` does, and for damaged blocks */
  transcode(choice: RasterChoice, path: string): Promise<BandContent>;
}

/** Reads them in this process. */
export const layerFiles: LayerFiles = {
  async describe(choice) {
    const source = await openLayer(choice);
    await (source.rows ?? source.tiff.file).close();
    const { grid, nodata, metadata } = source.rows ?? source.tiff;
    return { grid, nodata: nodata === null || Number.isNaN(nodata) ? null : nodata, ...metadata };
  },
  async transcode(choice, to) {
    const { path, band = 0, variable } = choice;
    const origin = `${basename(path)}, ${variable === undefined ? '' : `${variable}, `}band ${band + 1}`;
    const { rows, tiff } = await openLayer(choice);
    try {
      return rows === undefined
        ? await transcodeLayer(tiff, to, origin)
        : await transcodeRows(rows, to, origin);
    } finally {
      await (rows ?? tiff.file).close();
    }
  },
};

type Opened =
  | { readonly rows: RowLayer; readonly tiff?: undefined }
  | { readonly rows?: undefined; readonly tiff: Awaited<ReturnType<typeof openLayerSource>> };

/** Opens the chosen band. The format is recognised from the content. @throws InvalidInput */
async function openLayer(choice: RasterChoice): Promise<Opened> {
  const { path, band = 0, nodata, variable } = choice;
  const head = await headOf(path);
  if ((await isZarr(path)) || (head !== undefined && isNetcdf(head)))
    return { rows: await openArrayLayer(choice) };
  if (head !== undefined && isParquet(head)) return { rows: await openTableLayer(choice) };
  if (variable !== undefined)
    throw new InvalidInput(
      `--variable: expected together with NetCDF, HDF5, Zarr or Parquet; ${path} is none of them`,
      { param: 'variable' },
    );
  if (head !== undefined && isJpeg2000(head)) return { rows: await openJpeg2000Layer(choice) };
  const unread = head && unreadReason(path, head);
  if (unread !== undefined) throw new InvalidInput(unread);
  return { tiff: await openLayerSource(path, band, nodata) };
}

/** The first bytes of a file; undefined where it cannot be read: opening it then fails with the reason. */
async function headOf(path: string): Promise<Buffer | undefined> {
  const file = await open(path, 'r').catch(() => undefined);
  try {
    const { buffer, bytesRead } = (await file?.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)) ?? {};
    return buffer?.subarray(0, bytesRead);
  } catch {
    return undefined; // a folder
  } finally {
    await file?.close();
  }
}
