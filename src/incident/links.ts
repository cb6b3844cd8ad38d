import { DAY_MS } from '../base/time.ts';
import type { Phenomenon } from './phenomena.ts';

/** When two members have one cause: they are at most this far apart in time and on the ground. */
export interface Link {
  /** Longest time from the end of one to the beginning of the other [ms]. */
  readonly gapMs: number;
  /** Greatest distance between their grounds [m]. */
  readonly reachM: number;
}

/**
 * Kinds of phenomena with a cause in common, the longest gap [days] and the greatest distance [m]. All numbers are our
 * choice: weather systems last days and cover tens of kilometres; rivers and images of flooded ground follow the rain by
 * about a week; images of the ground are some weeks apart under clouds, but show the place to a few pixels.
 */
const LINKS: readonly (readonly [Phenomenon, Phenomenon, days: number, reachM: number])[] = [
  ['rain', 'rain', 2, 25_000],
  ['wind', 'wind', 2, 25_000],
  ['air', 'air', 2, 25_000],
  ['rain', 'wind', 1, 25_000],
  ['rain', 'air', 1, 25_000],
  ['wind', 'air', 1, 25_000],
  ['rain', 'water', 7, 25_000],
  ['water', 'water', 14, 10_000],
  ['air', 'fire', 7, 25_000],
  ['fire', 'fire', 14, 1_000],
  ['fire', 'plants', 30, 100],
  ['plants', 'plants', 30, 100],
  ['building', 'building', 60, 100],
  ['ground', 'ground', 14, 1_000],
  ['other', 'other', 2, 1_000],
];

/** The links of each kind of phenomenon. */
export const LINKS_OF: ReadonlyMap<Phenomenon, ReadonlyMap<Phenomenon, Link>> = linksByPhenomenon();

function linksByPhenomenon(): Map<Phenomenon, Map<Phenomenon, Link>> {
  const found = new Map<Phenomenon, Map<Phenomenon, Link>>();
  const add = (from: Phenomenon, to: Phenomenon, link: Link): void => {
    const links = found.get(from) ?? new Map<Phenomenon, Link>();
    found.set(from, links.set(to, link));
  };
  for (const [a, b, days, reachM] of LINKS) {
    const link = { gapMs: days * DAY_MS, reachM };
    add(a, b, link);
    add(b, a, link);
  }
  return found;
}

/** The farthest in time and on the ground that a member of this kind links to any other. */
export function farthestLink(phenomenon: Phenomenon): Link {
  const links = [...LINKS_OF.get(phenomenon)!.values()];
  return {
    gapMs: Math.max(...links.map(({ gapMs }) => gapMs)),
    reachM: Math.max(...links.map(({ reachM }) => reachM)),
  };
}

/** The longest gap of any link [ms]. */
export const FARTHEST_MS = Math.max(
  ...[...LINKS_OF.keys()].map((phenomenon) => farthestLink(phenomenon).gapMs),
);
