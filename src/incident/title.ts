import type { Member } from './member.ts';
import { phenomenonOf } from './phenomena.ts';
import { severityRank } from './severity.ts';

/** Most phenomena that a title names. */
const NAMED_PHENOMENA = 2;
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

/**
 * The title of an incident in plain words: what, where, when. For example "Heavy rain and high water at River plain, 5 to
 * 17 October 2024".
 * @param members at least one, in their order
 * @param areas the areas of the incident, the main one first
 * @param endMs when something last happened; null while it lasts
 */
export function incidentTitle(
  members: readonly Member[],
  areas: readonly { readonly name: string }[],
  endMs: number | null,
): string {
  return `${upperFirst(phenomenaInWords(members))} at ${placeInWords(areas)}, ${timeInWords(members, endMs)}`;
}

/** The phenomena of the highest severity and, among these, those with the most members. */
function phenomenaInWords(members: readonly Member[]): string {
  const counts = new Map<string, { rank: number; count: number; first: number }>();
  for (const [first, member] of members.entries()) {
    const { words } = phenomenonOf(member);
    const known = counts.get(words);
    const rank = severityRank(member.severity);
    counts.set(words, {
      rank: Math.max(rank, known?.rank ?? 0),
      count: (known?.count ?? 0) + 1,
      first: known?.first ?? first,
    });
  }
  return [...counts]
    .toSorted(([, a], [, b]) => b.rank - a.rank || b.count - a.count || a.first - b.first)
    .slice(0, NAMED_PHENOMENA)
    .map(([words]) => words)
    .join(' and ');
}

function placeInWords([main, ...others]: readonly { readonly name: string }[]): string {
  if (others.length === 0) return main!.name;
  return `${main!.name} and ${others.length} more ${others.length === 1 ? 'area' : 'areas'}`;
}

function timeInWords(members: readonly Member[], endMs: number | null): string {
  const startMs = members[0]!.fromMs;
  if (endMs === null) return `since ${day(startMs)}`;
  // A change of the ground cover is dated by the first image that shows it.
  const isSeen = members.every(({ kind, toMs, fromMs }) => kind === 'change' && toMs === fromMs);
  const [from, to] = [new Date(startMs), new Date(endMs)];
  if (day(startMs) === day(endMs)) return `${isSeen ? 'first seen on ' : ''}${day(startMs)}`;
  const span =
    from.getUTCFullYear() !== to.getUTCFullYear()
      ? `${day(startMs)} to ${day(endMs)}`
      : from.getUTCMonth() !== to.getUTCMonth()
        ? `${from.getUTCDate()} ${MONTHS[from.getUTCMonth()]} to ${day(endMs)}`
        : `${from.getUTCDate()} to ${day(endMs)}`;
  return isSeen ? `first seen ${span}` : span;
}

/** A day as `5 October 2024`, in UTC. */
function day(ms: number): string {
  const date = new Date(ms);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
