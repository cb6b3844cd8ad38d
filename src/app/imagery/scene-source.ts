import type { Bbox } from '../../geo/bbox.ts';
import type { Grid } from '../../geo/grid.ts';
import type { GridWindow } from '../../geo/grid-window.ts';
import type { BackscatterUnit, Polarisation } from '../../raster/backscatter.ts';
import type { QualityName } from '../../raster/quality/encodings.ts';
import type { Band } from '../../raster/spectral-index.ts';

/** One band of a scene, as its catalogue describes it. */
export interface SceneBand {
  readonly href: string;
  /** Band number in the file, from 0. */
  readonly band: number;
  /** Reflectance = raw * scale + offset. For scale and offset, null means the value in the file. */
  readonly scale: number | null;
  readonly offset: number | null;
  /** Raw value of missing observations; null: the value in the file. */
  readonly nodata: number | null;
}

/** One scene, as its catalogue describes it. */
export interface SceneItem {
  /** Id of the scene in its catalogue. */
  readonly id: string;
  /** Address of the item in the catalogue, or the id of the item when it has no address. */
  readonly href: string;
  readonly timeMs: number;
  readonly bounds: Bbox;
  /** Cloud share of the whole scene, 0 to 1; null when the catalogue does not state it. */
  readonly cloudShare: number | null;
  /** Id of the satellite pass; the same for all neighbouring scenes of the pass. */
  readonly pass: string;
  /** Id that the pass had before 1.4.0, which did not read the orbit in the name of its product. */
  readonly formerPass?: string;
  /** Satellite, such as `sentinel-2a`, or product, as its catalogue writes it. */
  readonly platform: string;
  readonly bands: Readonly<Partial<Record<Band, SceneBand>>>;
  /** The narrow near infrared band of a sensor that has a broad one too. */
  readonly narrowNir?: SceneBand;
  /** Present if the scene is of a radar. It has no `bands` then. */
  readonly radar?: RadarScene;
  /**
   * Quality band, which distinguishes clear pixels from cloud, shadow and snow, or from layover and shadow of a radar;
   * null for a radar scene without.
   */
  readonly quality: { readonly href: string; readonly encoding: QualityName } | null;
}

/** Backscatter gamma-0 that was corrected for terrain (RTC). */
export interface RadarScene {
  /** Relative orbit, 1 to 175. */
  readonly orbit: number;
  readonly unit: BackscatterUnit;
  readonly polarisations: Readonly<Partial<Record<Polarisation, SceneBand>>>;
}

/** Search result: a scene, or the reason why a scene cannot be used. */
export type FoundScene =
  | { readonly ok: true; readonly item: SceneItem }
  | { readonly ok: false; readonly id: string; readonly reason: string };

/** A raster that is read window by window. */
export interface WindowedRaster {
  readonly grid: Grid;
  readonly nodata: number | null;
  readonly scale: number;
  readonly offset: number;
  /**
   * Reads raw samples of one band, row-major; NaN beyond the edge of the raster. The array is the caller's alone.
   * @throws InvalidInput when the file is damaged
   */
  read(band: number, window: GridWindow): Promise<Float32Array>;
  close(): Promise<void>;
}

/** Reads local files, and remote files on web servers that support range requests. */
export interface RemoteFiles {
  /** @throws InvalidInput, NotFound, UpstreamUnavailable */
  open(href: string): Promise<WindowedRaster>;
  /** Reads a JSON file. @throws InvalidInput, NotFound, UpstreamUnavailable */
  readJson(href: string): Promise<unknown>;
}

/** A source of scenes: a catalogue or a folder, with the files of its scenes. */
export interface SceneSource extends Pick<RemoteFiles, 'open'> {
  /** Whether the source can be ingested without a bounding box: true for a folder, false for a catalogue. */
  readonly isWhole: boolean;
  /**
   * Finds the scenes that overlap a box and were taken in `[fromMs, toMs)`, in the order of the catalogue.
   * @param where address of a STAC collection, search or item, or path of a STAC file or of a folder
   * @throws InvalidInput when `where` is none of these; UpstreamUnavailable when the catalogue does not answer
   */
  search(
    where: string,
    query: {
      readonly bounds: Bbox | undefined;
      readonly fromMs: number;
      readonly toMs: number;
      /** Whether reflectance at the top of the atmosphere is asked for too; by default it is refused. */
      readonly takesLevel1?: boolean | undefined;
    },
  ): AsyncIterable<FoundScene>;
}
