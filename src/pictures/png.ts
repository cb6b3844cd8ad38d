import { encode } from 'fast-png';

/** A colour with its opacity, each part in [0, 255]. */
export type Rgba = readonly [red: number, green: number, blue: number, alpha: number];

/** A picture whose pixels are indices into a palette of at most 256 colours. Translucent colours come first. */
export interface PaletteImage {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
  readonly palette: readonly Rgba[];
}

/** Encodes a picture as PNG. One byte a pixel takes a quarter of the time and size of four. */
export function encodePng({ width, height, pixels, palette }: PaletteImage): Uint8Array {
  return encode({
    width,
    height,
    data: pixels,
    channels: 1,
    depth: 8,
    palette: palette.map((colour) => [...colour] as [number, number, number, number]),
  });
}

/** Encodes a picture of red, green, blue and opacity, one byte each, as PNG; without the opacity where all is opaque. */
export function encodeColourPng(width: number, height: number, rgba: Uint8Array): Uint8Array {
  let isOpaque = true;
  for (let at = 3; at < rgba.length && isOpaque; at += 4) isOpaque = rgba[at] === 255;
  if (!isOpaque) return encode({ width, height, data: rgba, channels: 4, depth: 8 });
  const rgb = new Uint8Array((rgba.length / 4) * 3);
  for (let from = 0, to = 0; from < rgba.length; from += 4, to += 3)
    for (let part = 0; part < 3; part++) rgb[to + part] = rgba[from + part]!;
  return encode({ width, height, data: rgb, channels: 3, depth: 8 });
}
