import { randomUUID } from 'node:crypto';
import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { UnitTurns } from '../../app/changes/search/unit-turns.ts';
import type { Database } from '../schema.ts';
import { isPresent } from './worker-presence.ts';

const BEAT_MS = 2_000; // interval at which a process says that it runs its units
const DEAD_S = 8; // time after which a process that said nothing is taken to be dead
/** The same for a process whose session at the database has ended too: longer than a beat takes that is late. */
const GONE_S = 3;
const KEPT_S = 86_400; // age at which what dead processes left is deleted

/** The id of this process in turns. */
const worker = randomUUID();
/** The units that this process runs, as `<search> <unit>`. */
const held = new Set<string>();
let beating: NodeJS.Timeout | undefined;

/**
 * Turns of the units of searches in the database. A unit of a process that says nothing for some seconds is taken by
 * another. If that process was only slow, the unit runs twice.
 * @param presence number under which others see that this process lives (`worker-presence.ts`); null when they cannot
 */
export function searchTurns(db: Kysely<Database>, presence: () => number | null): UnitTurns {
  const beat = async (): Promise<void> => {
    await sql`update search_units set beat_at = now(), holder = ${presence()} where worker = ${worker}`.execute(
      db,
    );
  };
  const saidWithin = (seconds: number): RawBuilder<boolean> =>
    sql`search_units.beat_at > now() - make_interval(secs => ${seconds})`;
  const isHeld = sql`${saidWithin(DEAD_S)} and (search_units.holder is null or ${saidWithin(GONE_S)}
    or ${isPresent(sql`search_units.holder`)})`;
  const take = async (search: string, units: readonly string[]): Promise<string | undefined> => {
    // Of two processes that choose the same unit at the same moment, one gets none.
    const { rows } = await sql<{ unit: string }>`
      with free as (
        select unit from unnest(${[...units]}::text[]) as asked (unit)
        where not exists (select from search_units where search = ${search} and search_units.unit = asked.unit
          and ${isHeld})
        order by random() limit 1
      )
      insert into search_units (search, unit, worker, holder)
        select ${search}, unit, ${worker}::uuid, ${presence()}::integer from free
      on conflict (search, unit) do update set worker = excluded.worker, holder = excluded.holder, beat_at = now()
        where not (${isHeld})
      returning unit`.execute(db);
    return rows[0]?.unit;
  };
  return {
    async take(search, units) {
      let unit = await take(search, units);
      for (let again = 0; unit === undefined && again < 2; again++) unit = await take(search, units);
      if (unit === undefined) return undefined;
      held.add(`${search} ${unit}`);
      // A beat that fails is made up for by the next.
      beating ??= setInterval(() => void beat().catch(() => undefined), BEAT_MS).unref();
      return unit;
    },
    async giveBack(search, unit) {
      held.delete(`${search} ${unit}`);
      if (held.size === 0) {
        clearInterval(beating);
        beating = undefined;
      }
      await sql`delete from search_units where (search = ${search} and unit = ${unit} and worker = ${worker})
        or beat_at < now() - make_interval(secs => ${KEPT_S})`.execute(db);
    },
  };
}
