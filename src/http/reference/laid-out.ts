/** How a language writes the parts of a value. */
interface Notation {
  readonly text: (text: string) => string;
  readonly name: (name: string) => string;
  readonly constants: Readonly<Record<'true' | 'false' | 'null', string>>;
  /** Between the braces of an object on one line and its members. */
  readonly inset: string;
}

export const JSON_NOTATION: Notation = {
  text: (text) => JSON.stringify(text),
  name: (name) => JSON.stringify(name),
  constants: { true: 'true', false: 'false', null: 'null' },
  inset: '',
};

const WIDTH = 72; // number of characters per line that fit the example column without scrolling

/** Writes a value of JSON for readers: indented, but a value that fits on one line is written on one line. */
export function laidOut(value: unknown, by: Notation = JSON_NOTATION, indent = ''): string {
  const flat = onOneLine(value, by);
  if (indent.length + flat.length <= WIDTH || typeof value !== 'object' || value === null) return flat;
  const inner = `${indent}  `;
  if (Array.isArray(value))
    return `[\n${value.map((item) => inner + laidOut(item, by, inner)).join(',\n')}\n${indent}]`;
  const members = Object.entries(value).map(
    ([name, member]) => `${inner}${by.name(name)}: ${laidOut(member, by, inner)}`,
  );
  return `{\n${members.join(',\n')}\n${indent}}`;
}

function onOneLine(value: unknown, by: Notation): string {
  if (typeof value === 'string') return by.text(value);
  if (typeof value === 'number') return String(value);
  if (value === null || typeof value === 'boolean')
    return by.constants[String(value) as keyof Notation['constants']];
  if (Array.isArray(value)) return `[${value.map((item) => onOneLine(item, by)).join(', ')}]`;
  const members = Object.entries(value as object).map(
    ([name, member]) => `${by.name(name)}: ${onOneLine(member, by)}`,
  );
  return members.length === 0 ? '{}' : `{${by.inset}${members.join(', ')}${by.inset}}`;
}
