import { stat } from 'node:fs/promises';
import type { AreaFileReader } from '../../app/areas/area-file-reader.ts';
import type { LabelsReader } from '../../app/changes/backtest/labels.ts';
import type { AlertReader, DatesReader, RasterStack, StackReader } from '../../app/imagery/raster-stack.ts';
import type { RemoteFiles, SceneSource, WindowedRaster } from '../../app/imagery/scene-source.ts';
import type { DisplacementPointReader } from '../../app/layers/derive/displacement-points-reader.ts';
import type { FireRecordReader } from '../../app/layers/derive/fire-record-reader.ts';
import type { LandReader } from '../../app/layers/derive/land-reader.ts';
import type { StormTrackReader } from '../../app/layers/derive/storm-tracks-reader.ts';
import type { WeatherReader } from '../../app/layers/derive/weather-record-reader.ts';
import type { PointBatch, PointFile, PointsReader } from '../../app/stations/points-reader.ts';
import { InvalidInput } from '../../base/errors.ts';
import type { LayerFiles } from '../layers/layer-files.ts';
import type {
  FileCalls,
  Handle,
  Items,
  PointFacts,
  RasterFacts,
  StackFacts,
  StationItem,
} from './file-calls.ts';
import { type ProcessOptions, ReadingProcess } from './reading-process.ts';
import { decodeError } from './wire.ts';

/** Time after which a process without work and without open files is ended [ms]. */
const IDLE_MS = 30_000;

type Args<K extends keyof FileCalls> = Parameters<FileCalls[K]>;
type Result<K extends keyof FileCalls> = Promise<Awaited<ReturnType<FileCalls[K]>>>;

/** A file or a sequence that is open in a process. */
interface Opened<Facts> {
  readonly facts: Facts;
  readonly process: ReadingProcess;
  readonly close: (handle: Handle) => Promise<void>;
}

/**
 * Reads files of others in a process of its own. The process is started at the first use, and again after it was ended
 * because of a file.
 */
export class ConfinedReaders {
  readonly stacks: StackReader & DatesReader;
  readonly alerts: AlertReader;
  readonly areaFiles: AreaFileReader;
  readonly scenes: SceneSource & RemoteFiles;
  readonly sceneFolders: SceneSource;
  readonly labels: LabelsReader;
  readonly tracks: StormTrackReader;
  readonly displacementPoints: DisplacementPointReader;
  readonly weather: WeatherReader;
  readonly fires: FireRecordReader;
  readonly land: LandReader;
  readonly points: PointsReader;
  readonly layerFiles: LayerFiles;
  readonly #options: ProcessOptions;
  #process: ReadingProcess | undefined;
  /** Number of open things in the process. */
  #open = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: ProcessOptions) {
    this.#options = options;
    const open = async (href: string): Promise<WindowedRaster> =>
      raster(href, await this.#opened(href, 'openRaster', href));
    this.stacks = {
      open: async (path, ...choice) =>
        stack(path, await this.#opened(await plain(path), 'openStack', path, ...choice)),
      readDates: async (path, count) => this.#call(await plain(path), 'readDates', path, count),
    };
    this.areaFiles = {
      readAreas: async (path, choice) => this.#call(await plain(path), 'readAreas', path, choice),
    };
    this.alerts = {
      openAlerts: async (folder) => stack(folder, await this.#opened(folder, 'openAlerts', folder)),
    };
    this.scenes = {
      isWhole: false,
      open,
      search: (where, query) => sequence(where, () => this.#opened(where, 'searchScenes', where, query)),
      readJson: (href) => this.#call(href, 'readJson', href),
    };
    this.sceneFolders = {
      isWhole: true,
      open,
      search: (where, query) => sequence(where, () => this.#opened(where, 'searchFolder', where, query)),
    };
    this.labels = { readLabels: async (path) => this.#call(await plain(path), 'readLabels', path) };
    this.tracks = {
      readTracks: (path) => sequence(path, async () => this.#opened(await plain(path), 'readTracks', path)),
    };
    this.displacementPoints = {
      readPoints: async (path, ...given) => this.#call(await plain(path), 'readDisplacement', path, ...given),
    };
    this.weather = { readWeather: async (path) => this.#call(await plain(path), 'readWeather', path) };
    this.fires = { readFires: async (path) => this.#call(await plain(path), 'readFires', path) };
    this.land = {
      readLand: async (path, ...given) => this.#call(await plain(path), 'readLand', path, ...given),
    };
    this.points = {
      open: async (request) => {
        const { path } = request;
        return pointFile(path, await this.#call(await plain(path), 'openPoints', request), () =>
          this.#opened(path, 'readPoints', request),
        );
      },
    };
    this.layerFiles = {
      describe: async (choice) => this.#call(await plain(choice.path), 'describeLayer', choice),
      transcode: async (choice, to) => this.#call(await plain(choice.path), 'transcodeLayer', choice, to),
    };
  }

  /** What the running process has used; undefined when none runs, or the system does not tell. */
  get use(): ReadingProcess['use'] {
    return this.#process?.use;
  }

  /** Id of the running process; undefined when none runs. */
  get pid(): number | undefined {
    return this.#process?.hasEnded === false ? this.#process.pid : undefined;
  }

  /** Ends the process. Reads that are not finished fail. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const ended = this.#process?.close();
    this.#process = undefined;
    await ended;
  }

  /** The running process, or a new one. */
  #running(): ReadingProcess {
    clearTimeout(this.#idle);
    if (this.#process === undefined || this.#process.hasEnded) {
      this.#process = new ReadingProcess(this.#options);
      this.#open = 0;
    }
    return this.#process;
  }

  /** @param what the file that is read, for messages */
  async #call<K extends keyof FileCalls>(what: string, name: K, ...args: Args<K>): Result<K> {
    try {
      return await this.#running().call(what, name, ...args);
    } finally {
      this.#rest();
    }
  }

  /** Calls a function that opens something. */
  async #opened<K extends keyof FileCalls>(
    what: string,
    name: K,
    ...args: Args<K>
  ): Promise<Opened<Awaited<ReturnType<FileCalls[K]>>>> {
    const process = this.#running();
    const facts = await this.#call(what, name, ...args);
    this.#open++;
    return {
      facts,
      process,
      close: async (handle) => {
        // What was open in a process that has ended is closed with it.
        if (process === this.#process) this.#open--;
        if (!process.hasEnded) await process.call(what, 'close', handle).catch(() => undefined);
        this.#rest();
      },
    };
  }

  /** Ends a process that is not needed for a while, to free its memory. */
  #rest(): void {
    clearTimeout(this.#idle);
    const isIdle = (): boolean => this.#open === 0 && this.#process?.working === 0;
    if (isIdle()) this.#idle = setTimeout(() => isIdle() && void this.close(), IDLE_MS).unref();
  }
}

/**
 * Checks that a path is no pipe and no device, which may never end. What does not exist is refused when it is opened.
 * @returns the path
 * @throws InvalidInput
 */
async function plain(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (found !== undefined && !found.isFile() && !found.isDirectory())
    throw new InvalidInput(`${path} is not a file: it is a pipe or a device; expected a file or a folder`);
  return path;
}

function stack(path: string, { facts, process, close }: Opened<StackFacts>): RasterStack {
  const { handle, dates, ...rest } = facts;
  return {
    ...rest,
    get dates() {
      if ('error' in dates) throw decodeError(dates.error, path);
      return dates.list!;
    },
    readBand(band) {
      if (!Number.isInteger(band) || band < 0 || band >= rest.bandCount)
        throw new RangeError(`band ${band} is not one of 0 to ${rest.bandCount - 1}`);
      return process.call(path, 'readBand', handle, band);
    },
    close: () => close(handle),
  };
}

function raster(href: string, { facts, process, close }: Opened<RasterFacts>): WindowedRaster {
  const { handle, ...rest } = facts;
  return {
    ...rest,
    read: (band, window) => process.call(href, 'readWindow', handle, band, window),
    close: () => close(handle),
  };
}

/** The items of a sequence. It is opened when the first one is asked for. */
async function* sequence<T>(what: string, open: () => Promise<Opened<Handle>>): AsyncGenerator<T> {
  const { facts: handle, process, close } = await open();
  try {
    for (let isLast = false; !isLast;) {
      const found = (await process.call(what, 'pull', handle)) as Items<T>;
      yield* found.items;
      ({ isLast } = found);
    }
  } finally {
    await close(handle);
  }
}

/** @param read opens the file again, for one pass over its observations */
function pointFile(
  path: string,
  { stations: first, ...facts }: PointFacts,
  read: () => Promise<Opened<Handle>>,
): PointFile {
  let stations = first;
  return {
    ...facts,
    get stations() {
      return stations;
    },
    async *batches(): AsyncGenerator<PointBatch> {
      const known: PointFile['stations'][number][] = [];
      for await (const { batch, newStations } of sequence<StationItem>(path, read)) {
        known.push(...newStations);
        stations = known;
        yield batch;
      }
    },
  };
}
