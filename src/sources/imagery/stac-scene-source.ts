import type { FoundScene, RemoteFiles, SceneSource, WindowedRaster } from '../../app/imagery/scene-source.ts';
import type { GuardedReader } from '../../net/guarded-reader.ts';
import { openRemoteFile } from '../../formats/random-access.ts';
import { remoteAddress, toServiceError, load, searchStac, type SceneQuery } from './stac-catalogue.ts';
import { openGranuleField } from './hdf-eos-granule.ts';
import { openLocalFile } from './local-file.ts';
import { openWindowedFile } from './windowed-file.ts';

/** Reads STAC catalogues and the GeoTIFFs and JPEG 2000 files that they link to, from the network or from local files. */
export class StacSceneSource implements SceneSource, RemoteFiles {
  readonly isWhole = false;
  readonly #reader: GuardedReader;

  constructor(reader: GuardedReader) {
    this.#reader = reader;
  }

  search(where: string, query: SceneQuery): AsyncIterable<FoundScene> {
    return searchStac(this.#reader, where, query);
  }

  async readJson(href: string): Promise<unknown> {
    return (await load(this.#reader, { href })).json;
  }

  async open(href: string): Promise<WindowedRaster> {
    try {
      const address = remoteAddress(href);
      if (address !== undefined) {
        const file = await openRemoteFile(this.#reader, address);
        return wrapped(href, await openWindowedFile(file, href, async () => undefined));
      }
      const field = await openGranuleField(href);
      if (field !== undefined) return wrapped(href, field);
      const { file, close } = await openLocalFile(href);
      try {
        return wrapped(href, await openWindowedFile(file, href, close));
      } catch (error) {
        await close();
        throw error;
      }
    } catch (error) {
      throw toServiceError(href, error);
    }
  }
}

/** Wraps a raster so that errors of later reads are also converted to errors of this service. */
function wrapped(href: string, raster: WindowedRaster): WindowedRaster {
  return {
    ...raster,
    read: (band, window) =>
      raster.read(band, window).catch((error: unknown) => {
        throw toServiceError(href, error);
      }),
  };
}
