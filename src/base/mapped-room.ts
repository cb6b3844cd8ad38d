/** Size beyond which the C library maps memory apart, whatever was freed before: 32 MiB (mallopt(3), M_MMAP_THRESHOLD). */
const MAPPED_BYTES = 2 ** 25;

/**
 * Memory that goes back to the system when it is freed by `transfer(0)`. Pieces of some megabytes may come from the heap of
 * the C library, which keeps them if anything small lies behind them. The buffer is larger than asked for, and the rest
 * is never touched, so it takes no memory.
 * @param bytes needed
 */
export function mappedRoom(bytes: number): ArrayBuffer {
  return new ArrayBuffer(Math.max(bytes, MAPPED_BYTES + 1));
}
