import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { InvalidInput } from '../../base/errors.ts';
import type { PointBatch, PointFile, PointsReader, PointsRequest } from '../../app/stations/points-reader.ts';
import { geometryColumn } from '../areas/geoparquet.ts';
import { BatchBuilder } from './batch-builder.ts';
import { isNetcdf, NETCDF_MAGIC_BYTES } from '../../formats/netcdf/file.ts';
import { isParquet, parquetLines } from '../../formats/parquet/lines.ts';
import { unreadReason } from '../../formats/unread-format.ts';
import { isZarr } from '../../formats/zarr/folder.ts';
import { isAddress, type OpenRemote } from '../imagery/remote-zarr.ts';
import { openNetcdfPoints } from './netcdf-points.ts';
import { openPboCsv, openPos, openTenv3 } from './gnss-series.ts';
import { decodedText, encodingOf, isBinary, isUtf16 } from '../../formats/csv/encoding.ts';
import { type Lines, readLines, separatorOf, splitFields } from './text-lines.ts';
import { readStations } from './station-table.ts';
import type { LineReader } from './line-reader.ts';
import { openTable } from './points-table.ts';
import { timeZone, type Zone } from './time-zone.ts';

const HEAD_BYTES = 1 << 18; // bytes read to recognise the format; lines of EGMS have several kilobytes
const HEAD_LINES = 200; // lines used to recognise the forms of times and numbers

/** Reads series at stations from files. The format is recognised from the content, not from the file name. */
export class PointsFileReader implements PointsReader {
  readonly #remote: OpenRemote | undefined;

  /** @param remote opens Zarr by its address; undefined: only files are read */
  constructor(remote?: OpenRemote) {
    this.#remote = remote;
  }

  async open(request: PointsRequest): Promise<PointFile> {
    const remote =
      this.#remote !== undefined && isAddress(request.path) ? await this.#remote(request.path) : undefined;
    if (
      remote !== undefined ||
      (await isZarr(request.path)) ||
      isNetcdf(await headBytes(request.path, NETCDF_MAGIC_BYTES))
    ) {
      refuseLineColumns(request, 'arrays (NetCDF, HDF5 or Zarr)');
      return await openNetcdfPoints(request, remote);
    }
    const name = basename(request.path);
    const zone = zoneOf(request);
    const { head, lines } = await headOf(request.path);
    const titles = head.find((line) => line.trim() !== '' && !line.startsWith('#')) ?? '';
    const known =
      request.stationsPath === undefined
        ? undefined
        : await readStations(request.stationsPath, splitFields(titles, separatorOf(titles)));
    const find = (): LineReader =>
      openPboCsv(head, { name, request }) ??
      openPos(head, { name, request }) ??
      openTenv3(head, { name, request }) ??
      openTable(head, { name, request, zone, known });
    const { form, column, unit, hasLineColumns } = find();
    if (hasLineColumns !== true) refuseLineColumns(request, form);
    // Each pass has a new reader, because the list of stations grows during reading.
    let stations = find().stations.list;
    return {
      name,
      form,
      column,
      unit,
      get stations() {
        return stations;
      },
      async *batches(): AsyncGenerator<PointBatch> {
        const reader = find();
        stations = reader.stations.list;
        for await (const { first, texts } of lines()) {
          const batch = new BatchBuilder();
          for (let i = Math.max(0, reader.headerLines + 1 - first); i < texts.length; i++)
            if (!SEPARATORS_ALONE.test(texts[i]!)) reader.read(texts[i]!, first + i, batch);
          if (batch.count > 0) yield batch;
        }
      },
    };
  }
}

/** A line without any field, as spreadsheets write them below a table. */
const SEPARATORS_ALONE = /^[,;\s]*$/;

/** @throws InvalidInput when the request names columns of quality or days, but the format has no such columns */
function refuseLineColumns({ maskColumn, maskEncoding, dayColumn }: PointsRequest, form: string): void {
  const asked =
    dayColumn !== undefined
      ? 'day-of-year'
      : maskColumn !== undefined
        ? 'mask'
        : maskEncoding && 'mask-encoding';
  if (asked !== undefined)
    throw new InvalidInput(`--${asked}: expected a table of a line an observation, got ${form}`, {
      param: asked,
    });
}

function zoneOf({ timezone }: PointsRequest): Zone {
  try {
    return timeZone(timezone ?? 'UTC');
  } catch (error) {
    throw new InvalidInput(
      `--timezone: expected UTC, an offset such as +05:30, or a name such as Europe/Dublin; got ${JSON.stringify(timezone)}`,
      { param: 'timezone', cause: error },
    );
  }
}

/** The first bytes of a file. @throws InvalidInput when it cannot be read */
async function headBytes(path: string, most: number): Promise<Buffer> {
  try {
    const file = await open(path);
    try {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(most), 0, most, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw new InvalidInput(`${path} cannot be read: ${(error as Error).message}`, {
      param: 'file',
      cause: error,
    });
  }
}

/** The first whole lines of a table, and a reader of all its lines. */
async function headOf(path: string): Promise<{
  readonly head: readonly string[];
  readonly lines: () => AsyncIterable<Lines>;
}> {
  const bytes = await headBytes(path, HEAD_BYTES);
  if (bytes.length === 0) throw new InvalidInput(`${path} is empty`, { param: 'file' });
  if (isParquet(bytes)) return { head: await firstLines(path), lines: () => tableLines(path) };
  const unread = unreadReason(path, bytes);
  if (unread !== undefined) throw new InvalidInput(unread, { param: 'file' });
  if (isBinary(bytes))
    throw new InvalidInput(
      `${path} is not a text file: CSV, .pos, .tenv3, Parquet, NetCDF, HDF5 or Zarr expected`,
      {
        param: 'file',
      },
    );
  const isCut = bytes.length === HEAD_BYTES;
  const end = isCut && !isUtf16(encodingOf(bytes)) ? bytes.lastIndexOf(10) : -1;
  const whole = end < 0 ? bytes : bytes.subarray(0, end);
  const encoding = encodingOf(whole);
  const text = isUtf16(encoding) ? decodedText(whole) : whole.toString(encoding).replace(/^\uFEFF/, '');
  const lines = text.split(/\r?\n/);
  if (isCut && isUtf16(encoding)) lines.pop(); // may be cut
  return { head: lines.slice(0, HEAD_LINES), lines: () => readLines(path, encoding) };
}

/** The lines of a table in Parquet. Points of a projection become longitudes and latitudes. */
function tableLines(path: string): AsyncIterable<Lines> {
  return parquetLines(path, (geo) => geometryColumn(basename(path), geo).projection?.toLngLat);
}

async function firstLines(path: string): Promise<readonly string[]> {
  const head: string[] = [];
  for await (const { texts } of tableLines(path)) {
    head.push(...texts.slice(0, HEAD_LINES - head.length));
    if (head.length === HEAD_LINES) break;
  }
  return head;
}
