import { UpstreamUnavailable } from '../../base/errors.ts';
import type { InstalledLayer } from '../../app/layers/layer-shelf.ts';
import type { ObjectStore, StoredObject } from '../../net/object-store.ts';
import {
  type CatalogueChange,
  catalogueText,
  type LayerCatalogue,
  layersIn,
  LayersMoved,
} from './installed-catalogue.ts';

/** Attempts of a change. One is repeated only when another process has made its change meanwhile. */
const TRIES = 100;

/** The list of installed layers in one object. It is replaced under a condition, so no change is lost. */
export class ObjectCatalogue implements LayerCatalogue {
  readonly path: string;
  readonly #objects: ObjectStore;
  /** What was read last, so that an unchanged object is not sent again. */
  #last: StoredObject | undefined;

  /** @param name of the object */
  constructor(objects: ObjectStore, name: string) {
    this.#objects = objects;
    this.path = name;
  }

  async stamp(): Promise<string | null> {
    return (await this.#read())?.etag ?? null;
  }

  async read(): Promise<readonly InstalledLayer[]> {
    return this.#layersOf(await this.#read());
  }

  /** @param takesPlace whether layers that were moved to a data folder earlier are no obstacle */
  async update(change: CatalogueChange, takesPlace = false): Promise<void> {
    for (let tries = 0; tries < TRIES; tries++) {
      const before = await this.#read();
      const layers = await this.#layersOf(before).catch((error: unknown) => {
        if (!takesPlace || !(error instanceof LayersMoved)) throw error;
        return [];
      });
      const text = catalogueText(await change(layers));
      const condition = before === undefined ? 'absent' : { etag: before.etag };
      if ((await this.#objects.put(this.path, Buffer.from(text), condition)) !== undefined) return;
    }
    throw new UpstreamUnavailable(
      `${this.path} was changed by others at each of ${TRIES} attempts: try again`,
    );
  }

  /**
   * Says that the layers are in a data folder now; they stay in the text.
   * @param take has the files of these layers when it resolves; is called again when another process was first
   * @returns the layers
   */
  async leave(take: CatalogueChange): Promise<readonly InstalledLayer[]> {
    for (let tries = 0; tries < TRIES; tries++) {
      const before = await this.#read();
      const text = before?.bytes.toString('utf8') ?? catalogueText([]);
      const layers = await layersIn(text, this.path, true);
      await take(layers);
      const moved = catalogueText(layers, true);
      if (text === moved) return layers;
      const condition = before === undefined ? 'absent' : { etag: before.etag };
      if ((await this.#objects.put(this.path, Buffer.from(moved), condition)) !== undefined) return layers;
    }
    throw new UpstreamUnavailable(
      `${this.path} was changed by others at each of ${TRIES} attempts: try again`,
    );
  }

  async #read(): Promise<StoredObject | undefined> {
    const unless = this.#last?.etag;
    const found = await this.#objects.get(this.path, unless === undefined ? {} : { unless });
    if (found !== 'same') this.#last = found;
    return this.#last;
  }

  async #layersOf(found: StoredObject | undefined): Promise<readonly InstalledLayer[]> {
    return found === undefined ? [] : await layersIn(found.bytes.toString('utf8'), this.path);
  }
}
