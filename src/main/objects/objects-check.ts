import { randomUUID } from 'node:crypto';
import type { InstallationCheck } from '../../cli/installation-check.ts';
import type { Config } from '../../config.ts';
import { CubeBackups } from '../../cube/objects/cube-backups.ts';
import type { ListedObject, ObjectStore } from '../../net/object-store.ts';
import { S3Objects } from '../../net/s3-objects.ts';
import { objectsPlace } from './cubes.ts';

/** Backups that a finding names. */
const MAX_NAMED = 3;
/** Difference of clocks above which the check warns [ms]. S3 refuses calls at 15 min. */
const MOST_SKEW_MS = 60_000;

/**
 * Writes, replaces, lists and deletes an object, to see whether the bucket does what cubes need, and looks whether it
 * has what backups keep.
 */
export const objectsCheck = (config: () => Config): InstallationCheck => ({
  part: 'objects',
  needs: 'settings',
  remedy: 'check GROUNDWATCH_OBJECTS, its endpoint, and the rights of AWS_ACCESS_KEY_ID on the bucket',
  async look() {
    const { objects: settings, caFile } = config();
    if (settings === undefined) return { status: 'ok', found: 'cubes are in the data folder' };
    const objects = new S3Objects(objectsPlace({ caFile }, settings));
    try {
      const place = `s3://${settings.bucket}/${settings.prefix} at ${settings.endpoint}`;
      const { isConditional, skewMs } = await tryOut(objects, `doctor/${randomUUID()}`);
      if (!isConditional)
        return {
          status: 'fail',
          found: `${place} ignores If-None-Match or If-Match, so nodes would overwrite each other`,
          remedy: 'use a server with conditional writes, such as Amazon S3, SeaweedFS or versitygw',
        };
      if (Math.abs(skewMs) > MOST_SKEW_MS)
        return {
          status: 'warn',
          found: `${place}: its clock differs from this one by ${Math.round(Math.abs(skewMs) / 1000)} s`,
          remedy: 'synchronise both clocks; at 15 min every call is refused',
        };
      const lacking = await new CubeBackups(objects).check();
      if (lacking.length > 0)
        return {
          status: 'fail',
          found: `${place}: ${lacking.slice(0, MAX_NAMED).join('; ')}`,
          remedy: 'make a new backup, and release the former with groundwatch objects release ID',
        };
      return {
        status: 'ok',
        found: `${place} has cubes and saved states, and writes under a condition`,
      };
    } finally {
      await objects.close();
    }
  },
});

/** @returns whether conditions hold, and how far the clock of the store is ahead of this one [ms] */
async function tryOut(
  objects: ObjectStore,
  name: string,
): Promise<{ readonly isConditional: boolean; readonly skewMs: number }> {
  const text = (value: string): Buffer => Buffer.from(value);
  try {
    const first = await objects.put(name, text('first'), 'absent');
    const again = await objects.put(name, text('again'), 'absent');
    const second = first && (await objects.put(name, text('second'), { etag: first }));
    const stale = first && (await objects.put(name, text('stale'), { etag: first }));
    let listed: ListedObject | undefined;
    for await (const each of objects.list(name)) listed = each;
    const isConditional = Boolean(first && second) && again === undefined && stale === undefined;
    return {
      isConditional,
      skewMs: (listed?.nowMs ?? Date.now()) - Date.now(),
    };
  } finally {
    await objects.delete(name);
  }
}
