/** Size of all kept pictures [bytes]: 32 MiB, a thousand pictures or more. */
const KEPT_BYTES = 32 * 1024 * 1024;

/** The pictures that were asked for last, by their task. */
export class KeptPictures {
  readonly #pictures = new Map<string, Uint8Array | Float32Array>();
  #bytes = 0;

  get(name: string): Uint8Array | Float32Array | undefined {
    const picture = this.#pictures.get(name);
    if (picture === undefined) return undefined;
    this.#pictures.delete(name);
    this.#pictures.set(name, picture);
    return picture;
  }

  keep(name: string, picture: Uint8Array | Float32Array): void {
    const before = this.#pictures.get(name);
    this.#pictures.delete(name);
    this.#pictures.set(name, picture);
    this.#bytes += picture.byteLength - (before?.byteLength ?? 0);
    for (const [oldest, { byteLength }] of this.#pictures) {
      if (this.#bytes <= KEPT_BYTES) break;
      this.#pictures.delete(oldest);
      this.#bytes -= byteLength;
    }
  }
}
