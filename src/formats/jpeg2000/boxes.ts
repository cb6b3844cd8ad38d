import { InvalidInput } from '../../base/errors.ts';
import { readBytes } from '../memory-file.ts';
import type { RandomAccess } from '../random-access.ts';

const SIGNATURE = '0000000c6a5020200d0a870a'; // first box of a JP2 file
const CODESTREAM = 'ff4fff51'; // first markers of a codestream without boxes
/** UUID of the box with a degenerate GeoTIFF. @see GeoJP2, Mapping Science 2003 */
const GEOJP2 = 'b14bf8bd083d4b43a5ae8cd7d5a6ce03';
const MOST_BOXES = 1000; // maximum number of boxes of a file
const MOST_BOX_BYTES = 1 << 22; // maximum size of a box of metadata [bytes]

/** The parts of a JP2 file that are read. */
export interface Jp2Boxes {
  /** Place of the codestream in the file. */
  readonly codestream: { readonly at: number; readonly bytes: number };
  /** GeoTIFF of one pixel with the georeference; undefined: none. */
  readonly geotiff: Buffer | undefined;
  /** GML document with the georeference; undefined: none. */
  readonly gml: string | undefined;
}

/** Whether the first 12 bytes of a file are those of JPEG 2000. */
export function isJpeg2000(head: Buffer): boolean {
  return head.toString('hex', 0, 12) === SIGNATURE || head.toString('hex', 0, 4) === CODESTREAM;
}

/**
 * Reads the boxes of a JP2 file.
 * @throws InvalidInput when it is damaged, or has no codestream
 * @see ISO/IEC 15444-1, annex I
 */
export async function readBoxes(file: RandomAccess, name: string): Promise<Jp2Boxes> {
  const { size } = await file.stat();
  let codestream: Jp2Boxes['codestream'] | undefined;
  let geotiff: Buffer | undefined;
  let gml: string | undefined;
  let count = 0;
  if ((await readBytes(file, 0, 4)).toString('hex') === CODESTREAM)
    return { codestream: { at: 0, bytes: size }, geotiff, gml };
  for (let at = 0; at + 8 <= size && count < MOST_BOXES; count++) {
    const head = await readBytes(file, at, 16);
    const { length, headBytes } = boxLength(head, size - at);
    const kind = head.toString('latin1', 4, 8);
    if (length < headBytes)
      throw new InvalidInput(`${name} is damaged: a box at byte ${at} has ${length} bytes`);
    const content = { at: at + headBytes, bytes: Math.min(length, size - at) - headBytes };
    if (kind === 'jp2c') codestream ??= content;
    else if ((kind === 'uuid' || kind === 'asoc') && content.bytes <= MOST_BOX_BYTES) {
      const bytes = await readBytes(file, content.at, content.bytes);
      if (kind === 'asoc') gml ??= gmlOf(bytes);
      else if (bytes.toString('hex', 0, 16) === GEOJP2) geotiff ??= bytes.subarray(16);
    }
    at += length;
  }
  if (codestream === undefined)
    throw new InvalidInput(`${name} has no JPEG 2000 codestream, or is cut short`);
  return { codestream, geotiff, gml };
}

function boxLength(head: Buffer, left: number): { readonly length: number; readonly headBytes: number } {
  const stated = head.readUInt32BE(0);
  if (stated === 0) return { length: left, headBytes: 8 }; // the last box goes on to the end
  if (stated !== 1) return { length: stated, headBytes: 8 };
  return { length: head.length < 16 ? 0 : Number(head.readBigUInt64BE(8)), headBytes: 16 };
}

/** The GML document in a box of boxes. It is the only XML there that has a grid. */
function gmlOf(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8');
  const from = text.indexOf('<');
  return from >= 0 && /<(\w+:)?RectifiedGrid\b/.test(text) ? text.slice(from) : undefined;
}
