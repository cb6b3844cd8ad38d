import type { AreaFileChoice } from '../../app/areas/area-file-reader.ts';
import type { DisplacementFileOptions } from '../../app/layers/derive/displacement-points-reader.ts';
import type { RasterChoice } from '../../app/layers/layer-shelf.ts';
import type { BandDate, RasterStack, StackChoice } from '../../app/imagery/raster-stack.ts';
import type { WindowedRaster } from '../../app/imagery/scene-source.ts';
import type { Samples } from '../../app/series/cube-store.ts';
import type { PointBatch, PointFile, PointsRequest } from '../../app/stations/points-reader.ts';
import { InvalidInput } from '../../base/errors.ts';
import type { Bbox } from '../../geo/bbox.ts';
import type { GridWindow } from '../../geo/grid-window.ts';
import { addressBlocks } from '../../net/address-guard.ts';
import { type Authorise, guardedReader } from '../../net/guarded-reader.ts';
import { AreaFiles } from '../areas/area-file.ts';
import { AlertFolderReader } from '../imagery/alert-folder.ts';
import { readDatesCsv } from '../imagery/dates-csv.ts';
import { remoteZarr } from '../imagery/remote-zarr.ts';
import { SceneFolder } from '../imagery/scene-folder.ts';
import type { SceneQuery } from '../imagery/stac-catalogue.ts';
import { StackFileReader } from '../imagery/stack-file.ts';
import { StacSceneSource } from '../imagery/stac-scene-source.ts';
import { layerFiles } from '../layers/layer-files.ts';
import { DisplacementCsvReader } from '../records/displacement-csv.ts';
import { FireCsvReader } from '../records/fire-csv.ts';
import { IbtracsCsvReader } from '../records/ibtracs-csv.ts';
import { LandShapefileReader } from '../records/land-shapefile.ts';
import { readLabels } from '../records/labels-file.ts';
import { WeatherCsvReader } from '../records/weather-csv.ts';
import { PointsFileReader } from '../stations/points-file.ts';
import { encodeError, type Setup, type WireError } from './wire.ts';

/** Number of an open thing in the process. */
export type Handle = number;

/** Properties of an open stack that are known before its bands are read. */
export type StackFacts = Omit<RasterStack, 'readBand' | 'close' | 'dates'> & {
  readonly handle: Handle;
  /** The dates, or why they cannot be used: they are needed only where no other dates are given. */
  readonly dates: { readonly list: readonly BandDate[] | undefined } | { readonly error: WireError };
};

export type RasterFacts = Omit<WindowedRaster, 'read' | 'close'> & { readonly handle: Handle };

export type PointFacts = Omit<PointFile, 'batches'>;

/** Some items of a sequence. */
export interface Items<T> {
  readonly items: readonly T[];
  readonly isLast: boolean;
}

/** Observations, and the stations that the file has named since the last of them. */
export interface StationItem {
  readonly batch: PointBatch;
  readonly newStations: PointFile['stations'];
}

interface Closable {
  close(): Promise<void>;
}

/** An open sequence: `pull` gives its next items. */
interface Sequence {
  pull(): Promise<Items<unknown>>;
  close(): Promise<void>;
}

const MOST_ITEMS = 256; // maximum number of items of one answer
const ITEMS_MS = 20; // time after which an answer is sent with the items there are
/** Maximum number of values of a JSON file that is handed over whole: an index of tiles has some thousands. */
const MOST_JSON_VALUES = 1_000_000;

/** The calls of the process that reads files. Each argument and result can be sent. */
export type FileCalls = ReturnType<typeof fileCalls>;

/** Makes the calls. @param authorise gives the credentials of requests */
export function fileCalls({ allow, extraCa, timeoutMs, userAgent }: Setup, authorise?: Authorise) {
  const reader = guardedReader({ allow: addressBlocks(allow), extraCa, timeoutMs, userAgent, authorise });
  const scenes = new StacSceneSource(reader);
  const sceneFolders = new SceneFolder(scenes);
  const stacks = new StackFileReader(remoteZarr(reader));
  const points = new PointsFileReader(remoteZarr(reader));
  const alerts = new AlertFolderReader();
  const open = new Map<Handle, Closable>();
  let last = 0;
  const keep = (thing: Closable): Handle => {
    open.set(++last, thing);
    return last;
  };
  const held = (handle: Handle): Closable => {
    const thing = open.get(handle);
    if (thing === undefined) throw new InvalidInput('the file was closed');
    return thing;
  };
  const stackFacts = (stack: RasterStack): StackFacts => {
    const { grid, bandCount, sampleType, nodata, scale, offset, sha256, unit, files, validRange, alphaBand } =
      stack;
    return {
      grid,
      bandCount,
      sampleType,
      nodata,
      scale,
      offset,
      sha256,
      dates: datesOf(stack),
      ...(unit !== undefined && { unit }),
      ...(files !== undefined && { files }),
      ...(validRange !== undefined && { validRange }),
      ...(alphaBand !== undefined && { alphaBand }),
      handle: keep(new BandsAhead(stack)),
    };
  };
  return {
    openStack: async (path: string, choice?: StackChoice) => stackFacts(await stacks.open(path, choice)),
    openAlerts: async (folder: string) => stackFacts(await alerts.openAlerts(folder)),
    readBand: (handle: Handle, band: number) => (held(handle) as Closable & BandsAhead).read(band),
    readDates: (path: string, bandCount: number) => readDatesCsv(path, bandCount),
    searchScenes: async (where: string, query: SceneQuery) => keep(sequence(scenes.search(where, query))),
    searchFolder: async (where: string, query: SceneQuery) =>
      keep(sequence(sceneFolders.search(where, query))),
    openRaster: async (href: string): Promise<RasterFacts> => {
      const raster = await scenes.open(href);
      const { grid, nodata, scale, offset } = raster;
      return { grid, nodata, scale, offset, handle: keep(raster) };
    },
    readWindow: (handle: Handle, band: number, window: GridWindow) =>
      (held(handle) as Closable & WindowedRaster).read(band, window),
    readJson: async (href: string) => limited(href, await scenes.readJson(href)),
    readAreas: (path: string, choice: AreaFileChoice) => new AreaFiles().readAreas(path, choice),
    readLabels: (path: string) => readLabels(path),
    readTracks: async (path: string) => keep(sequence(new IbtracsCsvReader().readTracks(path))),
    readDisplacement: (path: string, options?: DisplacementFileOptions) =>
      new DisplacementCsvReader().readPoints(path, options),
    readWeather: (path: string) => new WeatherCsvReader().readWeather(path),
    readLand: (path: string, member: string, bounds: Bbox) =>
      new LandShapefileReader().readLand(path, member, bounds),
    readFires: (path: string) => new FireCsvReader().readFires(path),
    openPoints: async (request: PointsRequest): Promise<PointFacts> => {
      const { name, form, column, unit, counted, stations } = await points.open(request);
      return { name, form, column, unit, ...(counted !== undefined && { counted }), stations };
    },
    readPoints: async (request: PointsRequest) => keep(sequence(withStations(await points.open(request)), 1)),
    describeLayer: (choice: RasterChoice) => layerFiles.describe(choice),
    transcodeLayer: (choice: RasterChoice, path: string) => layerFiles.transcode(choice, path),
    pull: (handle: Handle) => (held(handle) as Closable & Sequence).pull(),
    close: async (handle: Handle) => {
      const thing = open.get(handle);
      open.delete(handle);
      await thing?.close();
    },
  };
}

/** Largest band that is read ahead [bytes]. */
const MOST_AHEAD_BYTES = 2 ** 27;

/** Reads bands of a stack. When they are read in order, the next one is read while the caller works on the last. */
class BandsAhead {
  readonly #stack: RasterStack;
  #next = 0;
  #ahead: Promise<Samples> | undefined;

  constructor(stack: RasterStack) {
    this.#stack = stack;
  }

  async read(band: number): Promise<Samples> {
    const isInOrder = band === this.#next;
    const samples = await ((isInOrder ? this.#ahead : undefined) ?? this.#stack.readBand(band));
    this.#next = band + 1;
    const goesOn = isInOrder && this.#next < this.#stack.bandCount && samples.byteLength <= MOST_AHEAD_BYTES;
    this.#ahead = goesOn ? this.#stack.readBand(this.#next) : undefined;
    this.#ahead?.catch(() => undefined); // told when the band is asked for
    return samples;
  }

  async close(): Promise<void> {
    await this.#ahead?.catch(() => undefined);
    await this.#stack.close();
  }
}

function datesOf(stack: RasterStack): StackFacts['dates'] {
  try {
    return { list: stack.dates };
  } catch (error) {
    return { error: encodeError(error) };
  }
}

/** Observations with the stations that are new in each batch. */
async function* withStations(file: PointFile): AsyncGenerator<StationItem> {
  let sent = 0;
  for await (const { count, stations, timesMs, values, lines } of file.batches()) {
    const newStations = file.stations.slice(sent);
    sent += newStations.length;
    yield {
      batch: {
        count,
        stations: stations.subarray(0, count),
        timesMs: timesMs.subarray(0, count),
        values: values.subarray(0, count),
        lines: lines.subarray(0, count),
      },
      newStations,
    };
  }
}

/** Reads a sequence some items at a time, and the next ones while the caller works on the last. */
function sequence<T>(items: AsyncIterable<T>, most = MOST_ITEMS): Sequence {
  const iterator = items[Symbol.asyncIterator]();
  let failure: { readonly error: unknown } | undefined;
  const pull = async (): Promise<Items<T>> => {
    if (failure !== undefined) throw failure.error;
    const found: T[] = [];
    const endMs = performance.now() + ITEMS_MS;
    try {
      do {
        const { done, value } = await iterator.next();
        if (done === true) return { items: found, isLast: true };
        found.push(value);
      } while (found.length < most && performance.now() < endMs);
    } catch (error) {
      if (found.length === 0) throw error;
      failure = { error }; // what was found before is given first
    }
    return { items: found, isLast: false };
  };
  let ahead: Promise<Items<T>> | undefined;
  return {
    async pull() {
      const now = await (ahead ?? pull());
      ahead = now.isLast ? undefined : pull();
      ahead?.catch(() => undefined);
      return now;
    },
    async close() {
      await ahead?.catch(() => undefined);
      await iterator.return?.();
    },
  };
}

/** Refuses JSON with more values than any index has. @throws InvalidInput */
function limited(href: string, json: unknown): unknown {
  let count = 0;
  const waiting: unknown[] = [json];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    for (const member of Object.values(value)) {
      if (++count > MOST_JSON_VALUES)
        throw new InvalidInput(`${href}: expected JSON of at most ${MOST_JSON_VALUES} values`);
      waiting.push(member);
    }
  }
  return json;
}
