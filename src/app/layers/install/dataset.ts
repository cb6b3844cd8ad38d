import type { Bbox } from '../../../geo/bbox.ts';
import type { DisplacementPointReader } from '../derive/displacement-points-reader.ts';
import type { LandReader } from '../derive/land-reader.ts';
import type { FireRecordReader } from '../derive/fire-record-reader.ts';
import type { StormTrackReader } from '../derive/storm-tracks-reader.ts';
import type { WeatherReader } from '../derive/weather-record-reader.ts';
import type { RemoteFiles } from '../../imagery/scene-source.ts';
import type { AddedLayer, LayerDeps } from '../add-layer.ts';
import type { LayerEnvironment } from '../layer-shelf.ts';
import type { Downloads } from './downloads.ts';

/** A credential that a provider asks for, by the setting that holds it. */
export type DatasetSecret = 'GROUNDWATCH_FIRMS_KEY' | 'GROUNDWATCH_EGMS_TOKEN';

/** What the content of a downloaded file must begin with. */
export type FileFormat = 'best tracks' | 'detections' | 'JSON' | 'TIFF' | 'ZIP';

/** One file that a data set fetches. */
export interface DatasetFile {
  /** Address. Its secret, if it has one, is replaced by `{key}`. */
  readonly url: string;
  /** Name under which it is kept until it is installed. */
  readonly name: string;
  readonly format: FileFormat;
  /** Whether the answer is made for the request: it has no size before it is read, and cannot be resumed. */
  readonly isMade: boolean;
  /** Whether the provider may have no such file, where there is nothing to map. */
  readonly mayMiss?: true;
  /** Of the files of a group, such as releases of a tile, the first that the provider has is fetched. */
  readonly group?: string;
}

/** A downloaded file whose size and format were checked. */
export interface FetchedFile extends DatasetFile {
  readonly path: string;
  /** SHA-256 of the content, hex. */
  readonly sha256: string;
  readonly bytes: number;
  /** Day of the file by the provider's modification date, else the day on which it was fetched. */
  readonly day: string;
}

/** What is installed: the boxes, and the day. */
export interface DatasetRequest {
  readonly boxes: readonly Bbox[];
  /** Address of the provider, or of a mirror with its layout; ends in a slash. */
  readonly base: string;
  readonly nowMs: number;
  readonly environment: LayerEnvironment | undefined;
  /** Folder for files that an installation makes. */
  readonly folder: string;
}

/** Readers of what is downloaded. */
export interface DatasetDeps extends LayerDeps {
  readonly tracks: StormTrackReader;
  readonly weather: WeatherReader;
  readonly fires: FireRecordReader;
  readonly displacementPoints: DisplacementPointReader;
  readonly land: LandReader;
  readonly files: RemoteFiles;
  readonly downloads: Downloads;
}

/** A public data set that becomes layers: what it fetches, and how it is installed. */
export interface Dataset {
  readonly name: string;
  readonly meaning: string;
  /** Layers that it becomes. */
  readonly layers: readonly string[];
  readonly licence: string;
  /** Citation, shown with every explained answer. */
  readonly source: string;
  /** Where the provider documents addresses and licence. */
  readonly documentation: string;
  /** Address of the provider; ends in a slash. */
  readonly base: string;
  readonly needs?: DatasetSecret;
  /** How to get the credential, or a new one. */
  readonly access?: string;
  /** @throws InvalidInput when the boxes are too large for the provider or the service */
  plan(request: DatasetRequest): readonly DatasetFile[];
  /** @param files those of the plan that the provider has, in the order of the plan */
  install(
    deps: DatasetDeps,
    request: DatasetRequest,
    files: readonly FetchedFile[],
  ): Promise<readonly AddedLayer[]>;
}

/** Short form of a digest that a citation carries. */
export const shortDigest = (sha256: string): string => `SHA-256 ${sha256.slice(0, 16)}`;

/** Corners `[west, south]` of the squares of a degree lattice that boxes overlap, each once. */
export function latticeCorners(boxes: readonly Bbox[], step: number): readonly (readonly [number, number])[] {
  const corners = new Map<string, readonly [number, number]>();
  for (const [west, south, east, north] of boxes)
    for (let lat = Math.floor(south / step) * step; lat < north; lat += step)
      for (let lng = Math.floor(west / step) * step; lng < east; lng += step) {
        const wrapped = lng >= 180 ? lng - 360 : lng;
        corners.set(`${wrapped},${lat}`, [wrapped, lat]);
      }
  return [...corners.values()];
}
