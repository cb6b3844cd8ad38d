/**
 * The known name most similar to an unknown one; undefined when none is similar, because more than a third of the
 * letters differ.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  let [nearest, least]: [string | undefined, number] = [undefined, Math.max(1, name.length / 3)];
  for (const one of known) {
    const distance = editDistance(name, one);
    if (distance < least || (distance === least && nearest === undefined)) [nearest, least] = [one, distance];
  }
  return nearest;
}

/** Returns the Levenshtein distance: the number of letters to insert, delete or replace (Levenshtein 1966). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length]!;
}
