/** What separates the fields of a table, the least likely within a field first. */
const SEPARATORS = ['\t', ';', ','] as const;

export type Separator = (typeof SEPARATORS)[number];

/** Separator of a table's fields: the most frequent one outside quotes in its header; undefined when there is none. */
export function separatorIn(header: string): Separator | undefined {
  const bare = header.replaceAll(/"[^"]*"/g, '');
  let [found, most] = [undefined as Separator | undefined, 0];
  for (const separator of SEPARATORS) {
    const count = bare.split(separator).length - 1;
    if (count > most) [found, most] = [separator, count];
  }
  return found;
}
