/** Start and length of each run of consecutive indices, in turn. Indices ascend. */
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
