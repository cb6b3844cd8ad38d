/** A least-recently-used cache with a limit on its size in bytes. */
export class ByteCache<K, V> {
  readonly #entries = new Map<K, { readonly value: V; readonly bytes: number }>();
  readonly #limit: number;
  #bytes = 0;

  /** @param limit maximum sum of the sizes of all entries [bytes] */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether it can keep anything. */
  get isUsed(): boolean {
    return this.#limit > 0;
  }

  /** Returns the value and marks it as the most recently used. */
  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /**
   * Stores a value of `bytes` bytes. Drops the least recently used entries until the sum is within the limit. A value
   * that is larger than the limit is not stored.
   */
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
