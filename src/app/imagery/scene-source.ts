import type { Bbox } from '../../geo/bbox.ts';
import type { Grid } from '../../geo/grid.ts';
import type { GridWindow } from '../../geo/grid-window.ts';
import type { QualityName } from '../../raster/quality/encodings.ts';
import type { Band } from '../../raster/spectral-index.ts';

/** One band of a scene as its catalogue describes it. */
export interface SceneBand {
  readonly href: string;
  /** Band of the file, from 0. */
  readonly band: number;
  /** Reflectance = raw * scale + offset; null: what the file says. */
  readonly scale: number | null;
  readonly offset: number | null;
  /** Raw value that means nothing was observed; null: what the file says. */
  readonly nodata: number | null;
}

/** One scene as a catalogue describes it: where its bands are, and what hides the ground in it. */
export interface SceneItem {
  /** Its name in its catalogue. */
  readonly id: string;
  /** Its own address in the catalogue, or its name where it has none. */
  readonly href: string;
  readonly timeMs: number;
  readonly bounds: Bbox;
  /** Share of the whole scene under cloud, 0 to 1; null when the catalogue does not tell. */
  readonly cloudShare: number | null;
  /** Names the pass of the satellite: neighbouring scenes of one pass share it. */
  readonly pass: string;
  readonly bands: Readonly<Partial<Record<Band, SceneBand>>>;
  readonly quality: { readonly href: string; readonly encoding: QualityName };
}

/** What a search gives: a scene, or why one cannot be used. */
export type FoundScene =
  | { readonly ok: true; readonly item: SceneItem }
  | { readonly ok: false; readonly id: string; readonly reason: string };

/** One raster that is read piece by piece. */
export interface WindowedRaster {
  readonly grid: Grid;
  readonly nodata: number | null;
  readonly scale: number;
  readonly offset: number;
  /** Raw samples of one band, row-major; NaN beyond the raster's edge. @throws InvalidInput when it is damaged */
  read(band: number, window: GridWindow): Promise<Float32Array>;
  close(): Promise<void>;
}

/** Files of others: local, or on a web server that serves pieces. */
export interface RemoteFiles {
  /** @throws InvalidInput, NotFound, UpstreamUnavailable */
  open(href: string): Promise<WindowedRaster>;
  /** @throws as `open` does */
  readJson(href: string): Promise<unknown>;
}

/** A catalogue of scenes, and their files. */
export interface SceneSource extends Pick<RemoteFiles, 'open'> {
  /** Whether all of it may be taken in, without a box: a folder of scenes, not a catalogue of the Earth. */
  readonly isWhole: boolean;
  /**
   * Scenes that touch a box within `[fromMs, toMs)`, in the catalogue's order.
   * @param where the address of a collection, a search or an item, or the path of a file that holds one; or a folder
   * @throws InvalidInput when it is none of these; UpstreamUnavailable when it does not answer
   */
  search(
    where: string,
    query: { readonly bounds: Bbox | undefined; readonly fromMs: number; readonly toMs: number },
  ): AsyncIterable<FoundScene>;
}
