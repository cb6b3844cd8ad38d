/** A town that the search finds. */
export interface Town {
  readonly name: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly lat: number;
  readonly lng: number;
}

/** The towns of the search, most people first, with their names as they are compared. */
export interface TownTable {
  readonly lines: readonly string[];
  readonly folded: readonly string[];
}

/** Reads the table of towns: a line each, with name, country, latitude and longitude separated by tabs. */
export function readTowns(text: string): TownTable {
  return { lines: text.split('\n'), folded: fold(text).split('\n') };
}

/**
 * Returns the towns whose name begins with a text, then those in whose name another word does; the largest first.
 * Accents and capitals do not matter.
 */
export function findTowns({ lines, folded }: TownTable, text: string, limit: number): readonly Town[] {
  const wanted = fold(text.trim());
  if (wanted === '') return [];
  const [first, later]: [number[], number[]] = [[], []];
  for (let i = 0; i < folded.length && first.length < limit; i++) {
    const line = folded[i]!;
    if (line.startsWith(wanted)) first.push(i);
    else if (later.length < limit) {
      const at = line.indexOf(` ${wanted}`);
      if (at >= 0 && at < line.indexOf('\t')) later.push(i);
    }
  }
  return [...first, ...later].slice(0, limit).map((i) => {
    const [name, country, lat, lng] = lines[i]!.split('\t');
    return { name: name!, country: country!, lat: Number(lat), lng: Number(lng) };
  });
}

/** Returns whether a name, or a word in it, begins with a text. Accents and capitals do not matter. */
export function isNamed(name: string, text: string): boolean {
  const [whole, wanted] = [fold(name), fold(text.trim())];
  return wanted !== '' && (whole.startsWith(wanted) || whole.includes(` ${wanted}`));
}

/** Lower case without accents; letters that are not made of a letter and an accent are spelt out. */
function fold(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[øłđßæœı]/g, (letter) => SPELT[letter]!);
}

const SPELT: Readonly<Record<string, string>> = {
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
};
