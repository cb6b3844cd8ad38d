import { type Bbox, bboxesOverlap } from '../geo/bbox.ts';
import { expandBbox } from '../geo/nearby.ts';
import { DisjointSets } from './disjoint-sets.ts';
import { followedLosses } from './followed-loss.ts';
import { GroundIndex } from './ground-index.ts';
import { FARTHEST_MS, LINKS_OF } from './links.ts';
import { inOrder, type Member } from './member.ts';
import { type Phenomenon, phenomenonOf } from './phenomena.ts';

/** Members of one kind of phenomenon on the same ground whose times overlap or nearly do. */
interface Node {
  readonly phenomenon: Phenomenon;
  readonly ground: Bbox;
  readonly fromMs: number;
  toMs: number;
  readonly members: Member[];
}

/**
 * Groups members that have a cause in common: each group holds all members that are linked with each other directly or
 * through others (`links.ts`), or by a loss of vegetation from which it follows (`followed-loss.ts`). The result does not depend on the order of the members.
 * @returns the groups by their first members, the members of each in their order
 */
export function groupMembers(members: readonly Member[]): readonly (readonly Member[])[] {
  const nodes = nodesOf(members.toSorted(inOrder));
  const sets = new DisjointSets(nodes.length);
  const indexes = new Map<Phenomenon, GroundIndex>();
  for (const [i, node] of nodes.entries()) {
    for (const [phenomenon, { gapMs, reachM }] of LINKS_OF.get(node.phenomenon)!) {
      const near = expandBbox(node.ground, reachM);
      // Nodes are in order of their beginnings: none that comes later is closer in time to one that has ended.
      const isOver = (other: number): boolean => node.fromMs - nodes[other]!.toMs > FARTHEST_MS;
      indexes.get(phenomenon)?.visit(i, near, isOver, (j) => {
        const { toMs, ground } = nodes[j]!;
        if (node.fromMs - toMs <= gapMs && bboxesOverlap(near, ground)) sets.join(i, j);
      });
    }
    const index = indexes.get(node.phenomenon) ?? new GroundIndex(sets);
    indexes.set(node.phenomenon, index);
    index.add(i, node.ground);
  }
  joinFollowers(nodes, sets);
  return [...Map.groupBy(nodes.keys(), (i) => sets.rootOf(i)).values()]
    .map((group) => [...group].flatMap((i) => nodes[i]!.members).toSorted(inOrder))
    .toSorted(([a], [b]) => inOrder(a!, b!));
}

/** Joins anomalies that follow from a standing loss of vegetation with it, however long ago it began. */
function joinFollowers(nodes: readonly Node[], sets: DisjointSets): void {
  const nodeOf = nodes.flatMap(({ members }, i) => members.map(() => i));
  for (const [anomaly, loss] of followedLosses(nodes.flatMap(({ members }) => members)))
    sets.join(nodeOf[anomaly]!, nodeOf[loss]!);
}

/** Gathers members of one phenomenon on the same ground: the readings of one station for many areas are one node. */
function nodesOf(sorted: readonly Member[]): readonly Node[] {
  const nodes: Node[] = [];
  const lastOn = new Map<string, Node>();
  for (const member of sorted) {
    const { phenomenon } = phenomenonOf(member);
    const key = `${phenomenon} ${member.ground.join(' ')}`;
    const last = lastOn.get(key);
    const { gapMs } = LINKS_OF.get(phenomenon)!.get(phenomenon)!;
    if (last !== undefined && member.fromMs - last.toMs <= gapMs) {
      last.members.push(member);
      last.toMs = Math.max(last.toMs, member.toMs);
      continue;
    }
    const { ground, fromMs, toMs } = member;
    const node = { phenomenon, ground, fromMs, toMs, members: [member] };
    lastOn.set(key, node);
    nodes.push(node);
  }
  return nodes;
}
