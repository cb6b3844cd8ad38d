/** Run-length encodes ascending indices: start, length, start, length, ... of the runs of consecutive indices. */
export function runsOf(pixels: Uint32Array): number[] {
  const runs: number[] = [];
  for (let i = 0; i < pixels.length;) {
    let length = 1;
    while (i + length < pixels.length && pixels[i + length] === pixels[i]! + length) length++;
    runs.push(pixels[i]!, length);
    i += length;
  }
  return runs;
}

/** Decodes the runs that `runsOf` returns to indices. */
export function pixelsOfRuns(runs: readonly number[]): ReadonlySet<number> {
  const pixels = new Set<number>();
  for (let r = 0; r + 1 < runs.length; r += 2)
    for (let i = 0; i < runs[r + 1]!; i++) pixels.add(runs[r]! + i);
  return pixels;
}
