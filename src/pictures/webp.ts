import { readFile } from 'node:fs/promises';
import encode, { init } from '@jsquash/webp/encode.js';
import type { Rgba } from './png.ts';

/** Of 100 and of 6. More quality takes more bytes, more effort twice the time: bench/results/picture-formats.md. */
const OPTIONS = { quality: 75, method: 2 } as const;

let ready: Promise<unknown> | undefined;

/** Encodes a picture of red, green, blue and opacity, one byte each, as WebP. Colours are slightly changed, opacity is not. */
export async function encodeWebp(width: number, height: number, rgba: Uint8Array): Promise<Uint8Array> {
  ready ??= start();
  await ready;
  const data = new Uint8ClampedArray(rgba.buffer as ArrayBuffer, rgba.byteOffset, rgba.byteLength);
  return new Uint8Array(await encode({ data, width, height, colorSpace: 'srgb' }, OPTIONS));
}

/** Colours of a picture whose pixels are indices into a palette: red, green, blue and opacity, one byte each. */
export function coloursOf(pixels: Uint8Array, palette: readonly Rgba[]): Uint8Array {
  const rgba = new Uint8Array(4 * pixels.length);
  for (let i = 0; i < pixels.length; i++) rgba.set(palette[pixels[i]!]!, 4 * i);
  return rgba;
}

/** Loads the encoder, which by itself would fetch its module by an address. Node has the instructions for vectors. */
async function start(): Promise<unknown> {
  const file = new URL(import.meta.resolve('@jsquash/webp/codec/enc/webp_enc_simd.wasm'));
  return init(new WebAssembly.Module(await readFile(file)));
}
