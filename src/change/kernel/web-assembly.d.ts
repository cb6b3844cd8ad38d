/**
 * The part of the WebAssembly interface that the kernel uses. It is declared here because the project's type library
 * excludes the browser's.
 */
declare namespace WebAssembly {
  class Memory {
    constructor(descriptor: { readonly initial: number; readonly maximum: number; readonly shared: true });
    readonly buffer: SharedArrayBuffer;
    /** Grows by pages of 64 KiB. */
    grow(pages: number): number;
  }
  class Module {
    constructor(bytes: Uint8Array);
    private readonly code: unknown;
  }
  class Instance {
    constructor(module: Module, imports: { readonly env: { readonly memory: Memory } });
    readonly exports: object;
  }
}
