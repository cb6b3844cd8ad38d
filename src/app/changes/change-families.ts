import type { ClaimedChange } from './claimed-change.ts';
import type { ChangeOutline } from './change-store.ts';
import type { KnownChanges } from './known-change.ts';

/** Changes that are published in one transaction, because what is said of one depends on the others. */
export interface ChangeFamily {
  readonly objects: readonly ClaimedChange[];
  /** Records that no found change continues. */
  readonly gone: readonly ChangeOutline[];
}

/**
 * Groups found changes and records: a change with the record that it continues, or of which it is a part; a record that
 * is gone with the change that covers its ground. If a publication ends in between, the next one finds each family
 * either as it was or as it was published, and comes to the same statements.
 * @returns families in the order of their first found change, then records alone
 */
export function changeFamilies(
  objects: readonly ClaimedChange[],
  records: readonly ChangeOutline[],
  { records: continued, partOf, coveredBy }: KnownChanges,
): readonly ChangeFamily[] {
  type Member = ClaimedChange | ChangeOutline;
  const parents = new Map<Member, Member>();
  const rootOf = (member: Member): Member => {
    let root = member;
    for (let next = parents.get(root); next !== undefined; next = parents.get(root)) root = next;
    for (let at = member; at !== root;) {
      const next = parents.get(at)!;
      parents.set(at, root);
      at = next;
    }
    return root;
  };
  const join = (a: Member, b: Member): void => {
    const [from, to] = [rootOf(a), rootOf(b)];
    if (from !== to) parents.set(from, to);
  };
  for (const [object, record] of continued) join(object, record);
  for (const [object, record] of partOf) join(object, record);
  for (const [record, object] of coveredBy) join(record, object);
  const kept = new Set(continued.values());
  const families = new Map<Member, { objects: ClaimedChange[]; gone: ChangeOutline[] }>();
  const familyOf = (member: Member) => {
    const root = rootOf(member);
    let family = families.get(root);
    if (family === undefined) families.set(root, (family = { objects: [], gone: [] }));
    return family;
  };
  for (const object of objects) familyOf(object).objects.push(object);
  for (const record of records) if (!kept.has(record)) familyOf(record).gone.push(record);
  return [...families.values()];
}
