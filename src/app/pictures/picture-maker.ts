import type { Grid } from '../../geo/grid.ts';
import type { GridWindow } from '../../geo/grid-window.ts';
import type { CubeAddress } from '../series/cube-store.ts';
import type { Tile } from '../../geo/tile.ts';
import type { TileFormat } from '../../contract/pictures/tiles.ts';

/** Colours and the values that they stand for. */
export interface Colouring {
  /** Colours as `#rrggbb`, at equal steps. */
  readonly colours: readonly string[];
  /** Raw samples of the first and the last colour. The first may be the greater one. */
  readonly raw: readonly [number, number];
}

/** A scene of a cube: where its samples are. */
export interface SceneAt {
  readonly cubeId: string;
  readonly key: string;
  /** SHA-256 of the samples. */
  readonly sha256: string;
}

/** Columns and rows of a grid. */
export interface GridSize {
  readonly width: number;
  readonly height: number;
}

/** How clearly a scene shows some pixels. */
export interface Clearness {
  readonly key: string;
  readonly sha256: string;
  /** When it was acquired [ms since the Unix epoch]. */
  readonly timeMs: number;
  /** Share of the pixels that have a value. */
  readonly clear: number;
}

/** What a thread for pictures can do. */
export type PictureTask =
  /** How clearly each scene of a cube shows some pixels, in order of time. */
  | { readonly kind: 'clearness'; readonly cubeId: string; readonly pixels: readonly number[] }
  /** Raw samples of a window in several scenes, thinned to some thousand of them. */
  | {
      readonly kind: 'samples';
      readonly scenes: readonly SceneAt[];
      readonly grid: GridSize;
      readonly window: GridWindow;
    }
  /** A picture of a window with the outline of some pixels. */
  | {
      readonly kind: 'chip';
      readonly scene: SceneAt;
      readonly grid: GridSize;
      readonly window: GridWindow;
      /** Columns and rows of the picture. */
      readonly size: GridSize;
      readonly colouring: Colouring;
      /** Start and length of each run of pixels that are outlined. */
      readonly runs: readonly number[];
    }
  /** A picture that is drawn already: indices into a palette of colours with opacity, row-major. */
  | {
      readonly kind: 'palette';
      readonly size: GridSize;
      readonly pixels: Uint8Array;
      readonly palette: readonly (readonly [number, number, number, number])[];
    }
  /** A block of a raster file: every `step`-th sample of a window in a square, little-endian. */
  | {
      readonly kind: 'block';
      readonly scene: SceneAt;
      readonly grid: GridSize;
      readonly window: GridWindow;
      readonly step: number;
      /** Columns and rows of the square. */
      readonly side: number;
      readonly sample: 'int16' | 'float32';
      /** Sample where nothing was observed, and outside of the window. */
      readonly missing: number;
    }
  /** The same in true colour. The scene is one of a colour cube. */
  | {
      readonly kind: 'colour chip';
      readonly scene: SceneAt;
      /** Grid of the pictures, and how many pixels of the collection's grid one of its pixels covers, on a side. */
      readonly grid: GridSize;
      readonly step: number;
      /** Columns of the collection's grid, of which the window and the runs are. */
      readonly gridWidth: number;
      readonly window: GridWindow;
      readonly size: GridSize;
      readonly runs: readonly number[];
    }
  /** A tile of a scene in true colour. The scene is one of a colour cube, the grid that of its pictures. */
  | {
      readonly kind: 'colour tile';
      readonly scene: SceneAt;
      readonly grid: Grid;
      readonly tile: Tile;
      readonly format: TileFormat;
    }
  /** A tile of a scene. */
  | {
      readonly kind: 'tile';
      readonly scene: SceneAt;
      readonly grid: Grid;
      readonly tile: Tile;
      readonly colouring: Colouring;
      readonly format: TileFormat;
    };

/** Result of a task: null where the scene is not in the cube any more. */
export type PictureOf<T extends PictureTask> = T extends { readonly kind: 'clearness' }
  ? readonly Clearness[]
  : T extends { readonly kind: 'samples' }
    ? Float32Array
    : T extends { readonly kind: 'palette' }
      ? Uint8Array
      : Uint8Array | null;

/** Makes pictures in threads, and keeps the last ones. */
export interface PictureMaker {
  /**
   * Does a task. Tasks of one account wait for each other.
   * @throws NoPlace when the account waits too long; NotFound when there is no cube
   */
  make<const T extends PictureTask>(accountId: string, task: T): Promise<PictureOf<T>>;
  close(): Promise<void>;
}

/** What a thread for pictures receives. */
export interface PictureCall {
  readonly cubes: CubeAddress;
  readonly task: PictureTask;
}
