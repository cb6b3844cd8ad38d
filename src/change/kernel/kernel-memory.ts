import type { SampleKind } from './sample-kind.ts';

/** Size of a WebAssembly page [bytes]. */
const PAGE_BYTES = 65_536;
/** Maximum size of the memory of a 32-bit WebAssembly module [pages]: 4 GiB. */
const MAX_PAGES = 65_536;
/** Alignment of a block [bytes]: one cache line. */
const ALIGNMENT = 64;
/** Unused space after each block [bytes]: the kernel reads whole vectors, up to one vector past the end of a row. */
const SLACK = 64;

/**
 * Memory shared by the kernels of several threads. Blocks are never freed: each run has its own memory and allocates
 * its buffers once.
 */
export class KernelMemory {
  readonly memory: WebAssembly.Memory;
  #end = ALIGNMENT;

  constructor() {
    // The WebAssembly module declares the same initial size.
    this.memory = new WebAssembly.Memory({ initial: 16, maximum: MAX_PAGES, shared: true });
  }

  /** Allocates a block of zeros and returns its address. @throws RangeError when the memory would exceed 4 GiB */
  allocate(bytes: number): number {
    const address = this.#end;
    const end = address + Math.ceil((bytes + SLACK) / ALIGNMENT) * ALIGNMENT;
    const missing = Math.ceil(end / PAGE_BYTES) - this.memory.buffer.byteLength / PAGE_BYTES;
    if (missing > 0) this.memory.grow(missing);
    this.#end = end;
    return address;
  }

  /** Returns a view of a block. It stays valid when the memory grows, because a shared memory grows in place. */
  float64(address: number, length: number): Float64Array<SharedArrayBuffer> {
    return new Float64Array(this.memory.buffer, address, length);
  }

  float32(address: number, length: number): Float32Array<SharedArrayBuffer> {
    return new Float32Array(this.memory.buffer, address, length);
  }

  int16(address: number, length: number): Int16Array<SharedArrayBuffer> {
    return new Int16Array(this.memory.buffer, address, length);
  }

  int32(address: number, length: number): Int32Array<SharedArrayBuffer> {
    return new Int32Array(this.memory.buffer, address, length);
  }

  bytes(address: number, length: number): Uint8Array<SharedArrayBuffer> {
    return new Uint8Array(this.memory.buffer, address, length);
  }

  /** Returns a view of a block of samples of a given kind. */
  samples(
    kind: SampleKind,
    address: number,
    length: number,
  ): Int16Array<SharedArrayBuffer> | Float32Array<SharedArrayBuffer> | Float64Array<SharedArrayBuffer> {
    if (kind === 'int16') return this.int16(address, length);
    return kind === 'float32' ? this.float32(address, length) : this.float64(address, length);
  }
}
