import { randomUUID } from 'node:crypto';

/** Stands for a {@link JsonText} until its text is put in. Nobody can send a text that contains it. */
const MARK = randomUUID();
const MARKED = new RegExp(`"${MARK} (\\d+)"`, 'g');

/** Texts that the running {@link jsonOf} found. */
let found: string[] = [];

/**
 * JSON that came from the database as text. It becomes part of an answer as it is, because parsing and serialising it
 * again would take most of the time of a list of geometries.
 */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): string {
    return `${MARK} ${found.push(this.text) - 1}`;
  }
}

/** Serialises a value whose parts may be {@link JsonText}. */
export function jsonOf(value: unknown): string {
  found = [];
  const text = JSON.stringify(value);
  const texts = found;
  found = [];
  return texts.length === 0 ? text : text.replaceAll(MARKED, (_mark, index: string) => texts[Number(index)]!);
}
