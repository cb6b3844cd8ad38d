import { promisify } from 'node:util';
import { inflate, zstdDecompress } from 'node:zlib';
import { getDecoder } from 'geotiff';

const LERC = 34887; // code of TIFF's Compression field
/** Second value of LercParameters: the compression over LERC. @see https://gdal.org/drivers/raster/gtiff.html */
const OVER = { none: 0, deflate: 1, zstd: 2 } as const;
/** Size of a sample by the data type in the head of a blob: char, byte, short, ushort, int, uint, float, double. */
const SAMPLE_BYTES = [1, 1, 2, 2, 4, 4, 4, 8];
/**
 * A blob is smaller than its samples, apart from its head, and a mask of one bit per pixel that may not shrink [bytes]
 * (our margin).
 */
const HEAD_BYTES = 1 << 16;

const inflateAsync = promisify(inflate);
const zstdAsync = promisify(zstdDecompress);

/**
 * Decodes a LERC blob, which may be compressed a second time.
 * @param parameters value of the field LercParameters; null when it is missing
 * @param isInterleaved whether the samples of a pixel stand together
 * @param most maximum number of bytes of the samples
 * @throws Error when the blob is damaged, or states more samples than fit
 * @see https://github.com/Esri/lerc
 */
export async function decodeLerc(
  stored: Uint8Array,
  parameters: ArrayLike<number> | null,
  isInterleaved: boolean,
  most: number,
): Promise<Uint8Array> {
  const over = parameters?.[1] ?? OVER.none;
  const room = { maxOutputLength: 2 * most + HEAD_BYTES };
  const blob =
    over === OVER.none
      ? stored
      : over === OVER.deflate
        ? await inflateAsync(stored, room)
        : over === OVER.zstd
          ? await zstdAsync(stored, room)
          : undefined;
  if (blob === undefined) throw new RangeError(`LERC compressed by method ${over}; expected 0, 1 or 2`);
  const { sampleBytes, blobBytes } = headOf(blob);
  if (sampleBytes > most)
    throw new RangeError(`its LERC blob states ${sampleBytes} bytes of samples; expected at most ${most}`);
  const decoder = await getDecoder(LERC, {
    tileWidth: 0,
    tileHeight: 0,
    predictor: 1,
    bitsPerSample: 8,
    planarConfiguration: isInterleaved ? 1 : 2,
    LercParameters: [parameters?.[0] ?? 4, OVER.none],
  } as object as Parameters<typeof getDecoder>[1]);
  // A copy of the first blob alone: the decoder takes whole buffers, and would go on with what stands behind it.
  return new Uint8Array(await decoder.decode(new Uint8Array(blob.subarray(0, blobBytes)).buffer));
}

const LEAST_BYTES = 58; // size of the shortest head

/** Sizes in the head of a blob of version 2. @throws RangeError when there is no such head */
function headOf(blob: Uint8Array): { readonly sampleBytes: number; readonly blobBytes: number } {
  const text = Buffer.from(blob.buffer, blob.byteOffset, Math.min(6, blob.byteLength)).toString('latin1');
  if (text !== 'Lerc2 ' || blob.byteLength < LEAST_BYTES)
    throw new RangeError('it holds no LERC blob of version 2');
  const view = new DataView(blob.buffer, blob.byteOffset, blob.byteLength);
  const version = view.getInt32(6, true);
  // A checksum follows the version from version 3 on, and the number of values per pixel the width from version 4 on.
  let at = version >= 3 ? 14 : 10;
  const int = (): number => {
    const value = view.getInt32(at, true);
    at += 4;
    return value;
  };
  const [rows, columns] = [int(), int()];
  const depth = version >= 4 ? int() : 1;
  const [valid, microEdge] = [int(), int()];
  const [blobBytes, type] = [int(), int()];
  const sampleBytes = rows * columns * depth * (SAMPLE_BYTES[type] ?? 0);
  if (!(rows > 0 && columns > 0 && depth > 0 && sampleBytes > 0))
    throw new RangeError(
      `its LERC blob states ${columns} x ${rows} pixels of ${depth} values of type ${type}`,
    );
  if (valid < 0 || valid > rows * columns || microEdge < 1)
    throw new RangeError(`its LERC blob states ${valid} valid pixels in micro blocks of ${microEdge}`);
  if (blobBytes < at || blobBytes > blob.byteLength)
    throw new RangeError(`its LERC blob states ${blobBytes} bytes; it has ${blob.byteLength}`);
  return { sampleBytes, blobBytes };
}
