import type { ImportEntries } from '../../backup/import-journal.ts';
import { S3Objects, type S3Place } from '../../net/s3-objects.ts';

/** Beginning of the names of the objects. */
const IMPORTS = 'imports/';

/** Imports under way as objects, so that any node removes what a killed one left. */
export function entriesInObjects(place: S3Place): ImportEntries {
  const within = async <T>(work: (objects: S3Objects) => Promise<T>): Promise<T> => {
    const objects = new S3Objects(place);
    try {
      return await work(objects);
    } finally {
      await objects.close();
    }
  };
  return {
    list: () =>
      within(async (objects) => {
        const found = [];
        for await (const { name, ageMs } of objects.list(IMPORTS)) {
          const object = await objects.get(name);
          if (object !== undefined && object !== 'same')
            found.push({ id: name.slice(IMPORTS.length), ageMs, text: object.bytes.toString('utf8') });
        }
        return found;
      }),
    write: (id, text) =>
      within(async (objects) => void (await objects.put(IMPORTS + id, Buffer.from(text), 'absent'))),
    replace: (id, isStill, text) =>
      within(async (objects) => {
        for (;;) {
          const object = await objects.get(IMPORTS + id);
          if (object === undefined || object === 'same' || !isStill(object.bytes.toString('utf8')))
            return false;
          const { etag } = object;
          if ((await objects.put(IMPORTS + id, Buffer.from(text), { etag })) !== undefined) return true;
        }
      }),
    remove: (id) => within((objects) => objects.delete(IMPORTS + id)),
  };
}
