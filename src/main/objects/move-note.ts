import { hostname } from 'node:os';
import { InvalidInput } from '../../base/errors.ts';
import { ObjectStoreFailed } from '../../net/object-store.ts';
import { S3Objects, type S3Place } from '../../net/s3-objects.ts';

/** Name of the object that is there while an installation is moved into the bucket. */
const NOTE = 'moving.json';

/** Tells nodes that do not share the data folder that the bucket has not all of the installation yet. */
export class MoveNote {
  readonly #objects: S3Objects;

  constructor(place: S3Place) {
    this.#objects = new S3Objects(place);
  }

  /** Says that the bucket lacks what a folder of this machine has. */
  async put(folder: string): Promise<void> {
    const text = JSON.stringify({ folder, host: hostname() });
    if ((await this.#objects.get(NOTE)) === undefined)
      await this.#objects.put(NOTE, Buffer.from(text), 'absent');
  }

  async remove(): Promise<void> {
    await this.#objects.delete(NOTE);
  }

  /** The folder that is being moved into the bucket, and its machine; undefined when none is. */
  async read(): Promise<Record<'folder' | 'host', string> | undefined> {
    const found = await this.#objects.get(NOTE);
    if (found === undefined || found === 'same') return undefined;
    return JSON.parse(found.bytes.toString('utf8')) as Record<'folder' | 'host', string>;
  }

  /**
   * While the bucket is away nothing is refused: a node then starts with its last layers, and reads no cube.
   * @throws InvalidInput when the bucket has not all of the installation yet
   */
  async refuse(): Promise<void> {
    const found = await this.read().catch((error: unknown) => {
      if (!(error instanceof ObjectStoreFailed)) throw error;
    });
    if (found === undefined) return;
    const { folder, host } = found;
    throw new InvalidInput(
      `GROUNDWATCH_OBJECTS: expected a bucket with all cubes of the installation, got one into which ${folder} of ` +
        `${host} is being moved; start this node when groundwatch objects move --remove is done there`,
    );
  }

  async close(): Promise<void> {
    await this.#objects.close();
  }
}
