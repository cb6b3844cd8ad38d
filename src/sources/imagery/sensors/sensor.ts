import type { QualityName } from '../../../raster/quality/encodings.ts';
import type { Band } from '../../../raster/spectral-index.ts';

/** One satellite sensor, or one product made from several: names of its files, bands, scales and quality codes. */
export interface Sensor {
  /** Name for messages, such as `Landsat 8 and 9`. */
  readonly name: string;
  /** Encoding of each quality band, by the name of the band in file names and STAC items. Case is ignored. */
  readonly quality: Readonly<Record<string, QualityName>>;
  /** Patterns of the names that providers give to the files of a downloaded scene. */
  readonly files: readonly FileNaming[];
  /** Names and defaults for STAC items of this sensor. */
  readonly stac: StacNames;
}

/** Reflectance = raw * scale + offset. */
export interface Reflectance {
  readonly scale: number;
  readonly offset: number;
}

/**
 * Named groups of a pattern for file names. The reader uses these groups: `id` (what all files of the scene share),
 * `place` (frame or tile), `taken` (yyyymmdd, yyyymmddThhmmss, yyyyddd or yyyydddThhmmss, UTC), `layer` (the name of the band)
 * and, if the name contains it, `orbit`. The sensor's own functions read the others.
 */
export type NameGroups = Readonly<Record<string, string | undefined>>;

/** One way in which a provider names the files of a scene. */
export interface FileNaming {
  /** Matches the name of a file. */
  readonly file: RegExp;
  /**
   * Matches the name of a parent folder of the file, where that folder is named after the product. Its groups replace
   * groups of the same name in `file`.
   */
  readonly folder?: RegExp;
  /** Id of the scene, where no part of the name is common to all of its files alone. Default: the group `id`. */
  readonly id?: (found: NameGroups) => string;
  /** The satellite, such as `landsat-8`, or the product, such as `mod09a1`. */
  readonly platform: (found: NameGroups) => string;
  /** Returns a text that orders the versions of one scene: the version with the highest text is the best. */
  readonly rank: (found: NameGroups) => string;
  /** The band that a file contains; undefined for a file that is not needed. */
  readonly band: (found: NameGroups) => SceneBandFile | undefined;
  /** The metadata file: the value that the group `layer` has in its name, in upper case, and a parser of the file. */
  readonly metadata?: { readonly layer: string; readonly read: (text: string) => SceneMetadata };
}

/** A file of one reflectance band. */
export interface SceneBandFile {
  /** Whether it is the narrow near infrared band of a sensor that has a broad one too. */
  readonly isNarrow?: true;
  readonly band: Band;
  readonly reflectance: Reflectance | MetadataReflectance;
  /** Number of the band in the metadata file, whose scale and offset replace `reflectance` if it is there. */
  readonly number?: number;
  /** Raw value of pixels without an observation. */
  readonly nodata: number;
  /** If several files contain the same band, the file with the lowest preference is used. */
  readonly preference: number;
}

/** Refers to a scale and offset in the metadata file of the scene, because they differ between scenes. */
export interface MetadataReflectance {
  /** Number of the band in the metadata file. */
  readonly number: number;
  /** Message for a scene whose metadata file is missing. */
  readonly missing: string;
}

/** Contents of the metadata file of a scene. */
export interface SceneMetadata {
  /** When the centre of the scene was taken [ms since the Unix epoch]; null if the file does not contain it. */
  readonly timeMs: number | null;
  /** Share of the scene that clouds cover, 0 to 1; null if the file does not contain it. */
  readonly cloudShare: number | null;
  /** Scale and offset of reflectance, by the number of the band. */
  readonly top: ReadonlyMap<number, Reflectance>;
}

/** Names and defaults that the STAC specification does not define and that each provider chooses. */
export interface StacNames {
  /** The sensor's own names of band assets, for items without common names (STAC EO extension). */
  readonly assets?: {
    /** Matches the item's platform, constellation, collection or id. */
    readonly platform: RegExp;
    readonly bands: Readonly<Partial<Record<Band, RegExp>>>;
    /** Whether these names come before the common names. */
    readonly first?: true;
  };
  /** Name of the product, for items whose platform is the satellite from whose scenes it is made. */
  readonly product?: string;
  /** Names of the assets of the narrow near infrared band, of a sensor that has a broad one too. */
  readonly narrowNir?: RegExp;
  /** Platform of the items that do not declare a platform but whose id matches `pattern`. */
  readonly ids?: { readonly pattern: RegExp; readonly platform: string };
  /** Size and period before the name of a quality band, which are ignored. */
  readonly layerPrefix?: RegExp;
  /** Property with the number of the orbit, for items that lack the property of the satellite extension. */
  readonly orbit?: string;
  /** Property with the name of the product, and where the number of the orbit is in it, for items without either. */
  readonly orbitInName?: { readonly property: string; readonly pattern: RegExp };
  /**
   * Returns the scale and offset for items that do not declare them, from the properties and the id of the item;
   * undefined if the file has them.
   */
  readonly reflectance?: (
    properties: Readonly<Record<string, unknown>>,
    id: string,
  ) => Reflectance | undefined;
  /** Names of properties that are true when the provider has already added the offset that the item declares. */
  readonly offsetApplied?: readonly string[];
}
