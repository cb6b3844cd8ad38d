// OpenJPEG 2.5, compiled to WebAssembly by Cornerstone. The package has no types.
declare module '@cornerstonejs/codec-openjpeg/decodewasmjs' {
  /** Decodes one codestream at a time. */
  export interface J2KDecoder {
    /** Memory for the codestream. It moves when the module takes more memory. */
    getEncodedBuffer(length: number): Uint8Array;
    /** @throws a number, or an error of the module */
    decode(): void;
    /** Samples of the last image, interleaved by component; two bytes each if they have more than 8 bits. */
    getDecodedBuffer(): Uint8Array;
    getFrameInfo(): {
      readonly width: number;
      readonly height: number;
      readonly bitsPerSample: number;
      readonly componentCount: number;
      readonly isSigned: boolean;
    };
    delete(): void;
  }
  export interface OpenJpeg {
    readonly J2KDecoder: new () => J2KDecoder;
    readonly HEAPU8: Uint8Array;
  }
  export default function make(options: {
    readonly wasmBinary: Uint8Array;
    readonly print: (text: string) => void;
    readonly printErr: (text: string) => void;
  }): Promise<OpenJpeg>;
}
