const QUOTE = 0x22;
const COMMA = 0x2c;
const LEFT_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const RIGHT_BRACKET = 0x5d;
const LEFT_BRACE = 0x7b;
const RIGHT_BRACE = 0x7d;

/** An object or array that is open at the current position of the text. */
interface Container {
  /** Names so far in an object; null for an array. */
  readonly names: Set<string> | null;
  /** Name of the current member of an object; null until its name has been read. */
  name: string | null;
  /** Index of the current item of an array. */
  index: number;
}

/**
 * Finds the first member of a JSON text that comes twice in one object. `JSON.parse` keeps the last of them and drops
 * the others, while other parsers keep the first, so that two readers could understand one text differently.
 * @param text valid JSON
 * @returns the path of the member, such as `locations[17].lat`; undefined when every member comes once
 * @see RFC 8259 section 4
 */
export function repeatedMember(text: string): string | undefined {
  const open: Container[] = [];
  for (let at = 0; at < text.length; at++) {
    const current = open.at(-1);
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = closingQuote(text, at);
        if (current?.names && current.name === null) {
          current.name = nameIn(text, at, end);
          if (current.names.has(current.name)) return pathOf(open);
          current.names.add(current.name);
        }
        at = end;
        break;
      }
      case LEFT_BRACE:
        open.push({ names: new Set(), name: null, index: 0 });
        break;
      case LEFT_BRACKET:
        open.push({ names: null, name: null, index: 0 });
        break;
      case RIGHT_BRACE:
      case RIGHT_BRACKET:
        open.pop();
        break;
      case COMMA:
        current!.name = null;
        current!.index++;
        break;
    }
  }
  return undefined;
}

function closingQuote(text: string, opening: number): number {
  let at = opening + 1;
  for (let code = text.charCodeAt(at); code !== QUOTE; code = text.charCodeAt(at))
    at += code === BACKSLASH ? 2 : 1;
  return at;
}

/** The name between two quotes. Different escapes may stand for the same name. */
function nameIn(text: string, opening: number, closing: number): string {
  const raw = text.slice(opening + 1, closing);
  return raw.includes('\\') ? (JSON.parse(text.slice(opening, closing + 1)) as string) : raw;
}

function pathOf(open: readonly Container[]): string {
  let path = '';
  for (const { names, name, index } of open)
    path += names === null ? `[${index}]` : path === '' ? name! : `.${name!}`;
  return path === '' ? '""' : path;
}
