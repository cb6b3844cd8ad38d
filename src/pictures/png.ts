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
