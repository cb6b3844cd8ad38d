import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GlobalGrid } from './global-grid.ts';

/**
 * Writes int16 bands as a tiled, deflated GeoTIFF in EPSG:4326 with GDAL's `gdal_translate` (3.4 or newer).
 * @param options `predictor` 2 (default) suits fields, 1 suits classes
 * @returns the file's size in bytes
 */
export function writeGeoTiff(
  file: string,
  grid: GlobalGrid,
  bands: readonly Int16Array[],
  nodata: number | null,
  { predictor = 2 }: { readonly predictor?: 1 | 2 } = {},
): number {
  const folder = mkdtempSync(join(tmpdir(), 'derive-'));
  try {
    const raw = join(folder, 'bands.raw');
    writeFileSync(
      raw,
      Buffer.concat(bands.map((band) => new Uint8Array(band.buffer, band.byteOffset, band.byteLength))),
    );
    const bandBytes = grid.width * grid.height * 2;
    const left = grid.west - grid.step / 2;
    const top = grid.north + grid.step / 2;
    const none = nodata === null ? '' : `<NoDataValue>${nodata}</NoDataValue>`;
    const vrtBands = bands.map(
      (_, i) =>
        `<VRTRasterBand dataType="Int16" band="${i + 1}" subClass="VRTRawRasterBand">${none}` +
        `<SourceFilename relativeToVRT="1">bands.raw</SourceFilename><ImageOffset>${i * bandBytes}</ImageOffset>` +
        `<PixelOffset>2</PixelOffset><LineOffset>${grid.width * 2}</LineOffset><ByteOrder>LSB</ByteOrder></VRTRasterBand>`,
    );
    const vrt = join(folder, 'bands.vrt');
    writeFileSync(
      vrt,
      `<VRTDataset rasterXSize="${grid.width}" rasterYSize="${grid.height}"><SRS>EPSG:4326</SRS>` +
        `<GeoTransform>${left}, ${grid.step}, 0, ${top}, 0, ${-grid.step}</GeoTransform>${vrtBands.join('')}</VRTDataset>`,
    );
    const options = [
      'TILED=YES',
      'BLOCKXSIZE=256',
      'BLOCKYSIZE=256',
      'COMPRESS=DEFLATE',
      `PREDICTOR=${predictor}`,
      'ZLEVEL=9',
      'SPARSE_OK=TRUE',
    ];
    execFileSync(
      'gdal_translate',
      ['-q', '-of', 'GTiff', ...[...options, 'INTERLEAVE=BAND'].flatMap((o) => ['-co', o]), vrt, file],
      { stdio: ['ignore', 'inherit', 'inherit'] },
    );
    return statSync(file).size;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Reads all bands of a raster with GDAL as float32, band after band. */
export function readRaster(source: string): Float32Array {
  const folder = mkdtempSync(join(tmpdir(), 'derive-'));
  try {
    const raw = join(folder, 'bands.raw');
    execFileSync(
      'gdal_translate',
      ['-q', '-of', 'ENVI', '-ot', 'Float32', '-co', 'INTERLEAVE=BSQ', source, raw],
      {
        stdio: ['ignore', 'inherit', 'inherit'],
      },
    );
    const bytes = readFileSync(raw);
    return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
