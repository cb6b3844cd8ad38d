/**
 * Frees the memory of an array at once; the array is empty afterwards. Arrays of many megabytes that are used once would
 * otherwise wait for the garbage collector, which is behind by hundreds of megabytes on a busy machine. Does nothing to
 * an array that is a part of other memory, such as a small `Buffer`, or one that came in a message.
 */
export function release({ buffer, byteLength }: ArrayBufferView): void {
  if (buffer instanceof ArrayBuffer && byteLength > 0 && byteLength === buffer.byteLength) buffer.transfer(0);
}
