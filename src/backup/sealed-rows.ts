import { openBytes, sealBytes } from '../base/sealed-bytes.ts';

const PIECE = 8 * 1024 * 1024; // minimum size of each file of a table's rows, except the last [bytes]
const MOST_HEAD_BYTES = 200; // maximum length of the line before the rows of an account
const [TAB, NEWLINE] = [9, 10];
const NOBODY = '\\N'; // null in the text format of COPY: the row belongs to no account

/** Keys of accounts while an archive is written; undefined for an account that is being erased. */
export type KeyOf = (accountId: string) => Buffer | undefined;

/**
 * Puts the rows of a table into files of an archive. A file has a part for each account of its rows: a line with the
 * kind of the part, the account and the number of bytes, then the bytes.
 *
 * - `sealed`: rows of an account, encrypted under its key;
 * - `open`: rows that belong to no account;
 * - `remains`: what is restored in place of an account's rows once it is erased, not encrypted.
 *
 * @param rows as COPY writes them, each beginning with its account as an additional column
 * @param keyOf the rows of accounts without a key are left out
 */
export async function* packRows(
  table: string,
  rows: AsyncIterable<Buffer>,
  keyOf: KeyOf | 'remains',
): AsyncGenerator<{ readonly name: string; readonly bytes: Buffer }> {
  let held = new Map<string, Buffer[]>();
  let length = 0;
  let count = 0;
  const pack = () => {
    count += 1;
    const what = keyOf === 'remains' ? 'remains-' : '';
    const name = `database/${table}/${what}${String(count).padStart(6, '0')}`;
    const parts = [...held].map(([account, lines]) => part(name, account, Buffer.concat(lines), keyOf));
    held = new Map();
    length = 0;
    return { name, bytes: Buffer.concat(parts) };
  };
  let left: Buffer = Buffer.alloc(0);
  for await (const chunk of rows) {
    const bytes = left.length === 0 ? chunk : Buffer.concat([left, chunk]);
    let at = 0;
    for (let end; (end = bytes.indexOf(NEWLINE, at)) >= 0; at = end + 1) {
      const tab = bytes.indexOf(TAB, at);
      const account = bytes.toString('latin1', at, tab);
      if (account !== NOBODY && keyOf !== 'remains' && keyOf(account) === undefined) continue;
      const line = bytes.subarray(tab + 1, end + 1);
      const lines = held.get(account);
      if (lines === undefined) held.set(account, [line]);
      else lines.push(line);
      length += line.length;
    }
    left = bytes.subarray(at);
    if (length >= PIECE) yield pack();
  }
  if (left.length > 0) throw new Error(`${table}: its last row does not end`);
  if (length > 0) yield pack();
}

function part(name: string, account: string, rows: Buffer, keyOf: KeyOf | 'remains'): Buffer {
  const [kind, of, bytes] =
    account === NOBODY
      ? ['open', '-', rows]
      : keyOf === 'remains'
        ? ['remains', account, rows]
        : ['sealed', account, sealBytes(keyOf(account)!, rows, `${name} ${account}`)];
  return Buffer.concat([Buffer.from(`${kind} ${of} ${bytes.length}\n`), bytes]);
}

/**
 * Reads the rows of a file that {@link packRows} made, as COPY takes them.
 * @throws Error when a part is damaged, or its account's key does not open it
 */
export async function* unpackRows(
  name: string,
  content: AsyncIterable<Buffer>,
  keys: { keyOf(accountId: string): Promise<Buffer | undefined> },
): AsyncGenerator<Buffer> {
  for await (const { kind, account, bytes } of partsOf(name, content)) {
    if (kind === 'open') yield bytes;
    else {
      const key = await keys.keyOf(account);
      if (kind === 'sealed' && key !== undefined) yield openBytes(key, bytes, `${name} ${account}`);
      if (kind === 'remains' && key === undefined) yield bytes;
    }
  }
}

/** A part of a file of rows. */
export interface RowsPart {
  readonly kind: string;
  readonly account: string;
  readonly bytes: Buffer;
}

/** Reads the parts of a file that {@link packRows} made. @throws Error when it is damaged */
export async function* partsOf(name: string, content: AsyncIterable<Buffer>): AsyncGenerator<RowsPart> {
  let waiting: Buffer[] = [];
  let length = 0;
  let head: { kind: string; account: string; size: number } | undefined;
  const damaged = () => new Error(`${name} in it is damaged`);
  const whole = (): Buffer => {
    const bytes = waiting.length === 1 ? waiting[0]! : Buffer.concat(waiting);
    waiting = [bytes];
    return bytes;
  };
  const take = (count: number): Buffer => {
    const bytes = whole();
    waiting = [bytes.subarray(count)];
    length -= count;
    return bytes.subarray(0, count);
  };
  for await (const chunk of content) {
    waiting.push(chunk);
    length += chunk.length;
    for (;;) {
      if (head === undefined) {
        if (length === 0) break;
        const end = whole().indexOf(NEWLINE);
        if (end < 0 && length > MOST_HEAD_BYTES) throw damaged();
        if (end < 0) break;
        const [, kind, account, size] =
          /^(sealed|open|remains) (\S+) (\d{1,12})\n$/.exec(take(end + 1).toString('latin1')) ?? [];
        if (kind === undefined) throw damaged();
        head = { kind, account: account!, size: Number(size) };
      }
      if (length < head.size) break;
      yield { kind: head.kind, account: head.account, bytes: take(head.size) };
      head = undefined;
    }
  }
  if (head !== undefined || length > 0) throw damaged();
}
