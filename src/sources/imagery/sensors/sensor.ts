import type { QualityName } from '../../../raster/quality/encodings.ts';
import type { Band } from '../../../raster/spectral-index.ts';

/** One satellite sensor, or one product made from several: names of its files, bands, scales and quality codes. */
export interface Sensor {
  /** For messages, such as `Landsat 8 and 9`. */
  readonly name: string;
  /** Code of each quality band, by its name in file names and STAC items. Upper and lower case are the same. */
  readonly quality: Readonly<Record<string, QualityName>>;
  /** How its providers name the files of a downloaded scene. */
  readonly files: readonly FileNaming[];
  /** Names and defaults in its STAC items. */
  readonly stac: StacNames;
}

/** Reflectance = raw * scale + offset. */
export interface Reflectance {
  readonly scale: number;
  readonly offset: number;
}

/**
 * Named groups of a pattern. These have a meaning for the reader: `id` (what all files of the scene share), `place`
 * (frame or tile), `taken` (yyyymmdd, yyyymmddThhmmss or yyyydddThhmmss, UTC), `layer` (the name of the band) and, where
 * the name has it, `orbit`. The sensor's own functions read the others.
 */
export type NameGroups = Readonly<Record<string, string | undefined>>;

/** One way in which a provider names the files of a scene. */
export interface FileNaming {
  /** Matches the name of a file. */
  readonly file: RegExp;
  /** Matches a folder above the file that is named after the product. Its groups replace those of the file. */
  readonly folder?: RegExp;
  /** The satellite, such as `landsat-8`. */
  readonly platform: (found: NameGroups) => string;
  /** Orders the versions of one scene as text: the highest is the best. */
  readonly rank: (found: NameGroups) => string;
  /** The band that a file contains; undefined for a file that is not needed. */
  readonly band: (found: NameGroups) => SceneBandFile | undefined;
  /** The layer that is the metadata file, in upper case, and its reader. */
  readonly metadata?: { readonly layer: string; readonly read: (text: string) => SceneMetadata };
}

/** A file of one reflectance band. */
export interface SceneBandFile {
  readonly band: Band;
  readonly reflectance: Reflectance | MetadataReflectance;
  /** Raw value that means nothing was observed. */
  readonly nodata: number;
  /** Of several files of one band the one with the lowest is taken. */
  readonly preference: number;
}

/** Scale and offset that differ by scene: they are in its metadata file. */
export interface MetadataReflectance {
  /** Number of the band in that file. */
  readonly number: number;
  /** Message for a scene whose metadata file is missing. */
  readonly missing: string;
}

/** Contents of the metadata file of a scene. */
export interface SceneMetadata {
  /** When its centre was taken [ms since the Unix epoch]; null where the file does not say. */
  readonly timeMs: number | null;
  /** Share of the scene under cloud, 0 to 1; null where the file does not say. */
  readonly cloudShare: number | null;
  /** Reflectance at the top of the atmosphere, by number of the band. */
  readonly top: ReadonlyMap<number, Reflectance>;
}

/** Names and defaults of STAC items that the specification leaves to each provider. */
export interface StacNames {
  /** The sensor's own names of band assets, for items without common names (STAC EO extension). */
  readonly assets?: {
    /** Matches the item's platform, constellation or collection. */
    readonly platform: RegExp;
    readonly bands: Readonly<Record<Band, RegExp>>;
  };
  /** The platform of items that declare none, recognised by their id. */
  readonly ids?: { readonly pattern: RegExp; readonly platform: string };
  /** Property with the number of the orbit, for items without the satellite extension's. */
  readonly orbit?: string;
  /** Scale and offset of items that declare none. */
  readonly reflectance?: (properties: Readonly<Record<string, unknown>>) => Reflectance;
  /** Properties that are true when the provider has already added the offset that the item declares. */
  readonly offsetApplied?: readonly string[];
}
