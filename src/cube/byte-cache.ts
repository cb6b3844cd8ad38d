/** A least-recently-used cache bounded by bytes. */
export class ByteCache<K, V> {
  readonly #entries = new Map<K, { readonly value: V; readonly bytes: number }>();
  readonly #limit: number;
  #bytes = 0;

  /** @param limit bound on the sum of the entries' sizes [bytes] */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The value, now the most recently used. */
  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Keeps a value of a given size, dropping the least recently used until all fit. */
  set(key: K, value: V, bytes: number): void {
    this.delete(key);
    if (bytes > this.#limit) return;
    this.#entries.set(key, { value, bytes });
    this.#bytes += bytes;
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.#limit) break;
      this.#entries.delete(oldest);
      this.#bytes -= entry.bytes;
    }
  }

  delete(key: K): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}
