import type { Writable } from 'node:stream';
import { once } from 'node:events';

/** Type flags of a file: `0`, and the NUL of older archives. Links, folders and devices are refused. */
const FILE_TYPES: ReadonlySet<number> = new Set([0x30, 0]);
const BLOCK = 512; // size of a tar block [bytes]: POSIX.1-1988 ustar
/** Smallest size that needs more than 11 octal digits [bytes]. This and larger sizes are stored in binary (GNU tar). */
const MAX_OCTAL = 8 ** 11;

/** One file of an archive. The length of its content is known before the content is read. */
export interface TarEntry {
  readonly name: string;
  /** Length of the content [bytes]. */
  readonly size: number;
  /** Permission bits. */
  readonly mode: number;
  /** Content of the file. Must be read to its end before the next entry is requested. */
  readonly content: AsyncIterable<Buffer>;
}

/** Writes files into a tar archive. */
export class TarWriter {
  readonly #out: Writable;
  constructor(out: Writable) {
    this.#out = out;
  }

  /** Adds a file. @throws RangeError when the name is too long, or the length of the content is not `size` */
  async add({ name, size, mode, content }: TarEntry): Promise<void> {
    await this.#write(header(name, size, mode));
    let written = 0;
    for await (const chunk of content) {
      written += chunk.length;
      await this.#write(chunk);
    }
    if (written !== size) throw new RangeError(`${name}: expected ${size} bytes, got ${written}`);
    await this.#write(Buffer.alloc(-size & (BLOCK - 1)));
  }

  async end(): Promise<void> {
    await this.#write(Buffer.alloc(2 * BLOCK));
    this.#out.end();
    await once(this.#out, 'close');
  }

  async #write(bytes: Buffer): Promise<void> {
    if (this.#out.destroyed) throw this.#out.errored ?? new Error('the archive cannot be written any more');
    if (bytes.length > 0 && !this.#out.write(bytes)) await once(this.#out, 'drain');
  }
}

function header(name: string, size: number, mode: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  let [prefix, base] = ['', name];
  if (Buffer.byteLength(name) > 100) {
    const slash = name.indexOf('/', name.length - 101);
    if (slash < 0 || slash > 155) throw new RangeError(`${name}: too long for an archive`);
    [prefix, base] = [name.slice(0, slash), name.slice(slash + 1)];
  }
  block.write(base, 0, 'utf8');
  block.write(octal(mode, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  if (size < MAX_OCTAL) block.write(octal(size, 11), 124);
  else {
    block.writeUInt8(0x80, 124);
    block.writeBigUInt64BE(BigInt(size), 128);
  }
  block.write(octal(0, 11), 136);
  block.write('        ', 148);
  block.write('0', 156);
  block.write('ustar\u000000', 257);
  block.write(prefix, 345, 'utf8');
  block.write(`${octal(sum(block), 6)}\0 `, 148);
  return block;
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0');

function sum(block: Buffer): number {
  let total = 0;
  for (let i = 0; i < BLOCK; i++) total += i >= 148 && i < 156 ? 0x20 : block[i]!;
  return total;
}

/** Reads an archive file by file. @throws Error when it is not an archive, is damaged or ends too early */
export async function* readTar(stream: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const source = stream[Symbol.asyncIterator]();
  let waiting: Buffer = Buffer.alloc(0);
  /** Reads up to `most` bytes. Returns an empty buffer at the end of the stream. */
  const some = async (most: number): Promise<Buffer> => {
    while (waiting.length === 0) {
      const next = await source.next();
      if (next.done) return waiting;
      waiting = next.value;
    }
    const taken = waiting.subarray(0, most);
    waiting = waiting.subarray(taken.length);
    return taken;
  };
  async function* bytes(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0;) {
      const taken = await some(left);
      if (taken.length === 0) throw new Error('the archive ends too soon');
      left -= taken.length;
      yield taken;
    }
  }
  const whole = async (count: number): Promise<Buffer> => {
    const parts: Buffer[] = [];
    for await (const part of bytes(count)) parts.push(part);
    return Buffer.concat(parts);
  };
  try {
    for (;;) {
      const block = await whole(BLOCK);
      if (block.every((byte) => byte === 0)) return;
      if (Number.parseInt(block.toString('latin1', 148, 154), 8) !== sum(block))
        throw new Error('it is no archive, or damaged');
      if (!FILE_TYPES.has(block[156]!)) throw new Error('it has an entry that is no file');
      const text = (from: number, to: number) => block.toString('utf8', from, to).replace(/\0.*$/s, '');
      const prefix = text(345, 500);
      const size =
        block.readUInt8(124) === 0x80
          ? Number(block.readBigUInt64BE(128))
          : Number.parseInt(text(124, 136), 8);
      const name = prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`;
      yield { name, size, mode: Number.parseInt(text(100, 108), 8), content: bytes(size) };
      await whole(-size & (BLOCK - 1));
    }
  } finally {
    await source.return?.(); // closes the file when the reader stops before its end
  }
}
