/** Which groups continue which incidents. */
export interface Heirs {
  /** Id of the incident that a group continues, by the index of the group. Other groups are new incidents. */
  readonly continues: ReadonlyMap<number, string>;
  /** The group that has most members of an incident, by the id of the incident. Absent when it has no members left. */
  readonly groupOf: ReadonlyMap<string, number>;
}

/**
 * Decides which groups continue which incidents. The parts of an incident that fell apart are a group each: the one with
 * the most members continues it. A group of several incidents continues the one that was opened first.
 * @param groups the former incident of each member of each group; undefined for a new member
 */
export function heirsOf(
  groups: readonly (readonly (string | undefined)[])[],
  incidents: readonly { readonly id: string; readonly openedAt: Date }[],
): Heirs {
  const largest = new Map<string, { readonly group: number; readonly count: number }>();
  for (const [group, formers] of groups.entries())
    for (const [id, same] of Map.groupBy(formers, (former) => former)) {
      const known = id === undefined ? undefined : largest.get(id);
      if (id !== undefined && same.length > (known?.count ?? 0))
        largest.set(id, { group, count: same.length });
    }
  const groupOf = new Map([...largest].map(([id, { group }]) => [id, group]));
  const oldestFirst = incidents.toSorted(
    (a, b) => a.openedAt.getTime() - b.openedAt.getTime() || (a.id < b.id ? -1 : 1),
  );
  const continues = new Map<number, string>();
  for (const { id } of oldestFirst) {
    const group = groupOf.get(id);
    if (group !== undefined && !continues.has(group)) continues.set(group, id);
  }
  return { continues, groupOf };
}
