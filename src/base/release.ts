/**
 * Frees the memory of an array at once; the array is empty afterwards. Arrays of many megabytes that are used once would
 * otherwise wait for the garbage collector, which is behind by hundreds of megabytes on a busy machine. Does nothing to
 * an array that is a part of other memory, such as a small `Buffer`, or one that came in a message.
 * @param slackBytes size of the unused end that its memory may have, as the results of zlib do [bytes]; at most 1024,
 * so that it is no small `Buffer`: these have less than half of the memory that they are a part of
 */
export function release({ buffer, byteLength }: ArrayBufferView, slackBytes = 0): void {
  if (buffer instanceof ArrayBuffer && byteLength > 0 && buffer.byteLength - byteLength <= slackBytes)
    buffer.transfer(0);
}
