import type { Static } from 'typebox';
import type { StoredBand } from '../layers/layer-shelf.ts';
import type { BUNDLE_MANIFEST } from './manifest-form.ts';

/** First member of a bundle: what it has, in the order of its members. */
export type BundleManifest = Static<typeof BUNDLE_MANIFEST>;
export type BundledCollection = BundleManifest['collections'][number];
export type BundledCube = BundledCollection['cubes'][number];
export type BundledLayer = BundleManifest['layers'][number];

/** Version of the form of bundles. Incremented by each change that older releases cannot read. */
export const BUNDLE_FORM = 1;
export const BUNDLE_MANIFEST_NAME = 'bundle.json';
/** Maximum size of the manifest [bytes]: some 100,000 scenes. */
export const MOST_MANIFEST_BYTES = 2 ** 26;
/** Maximum number of samples of a scene: that of a band of a GeoTIFF. */
export const MOST_SAMPLES = 2 ** 28;

/** Name of the member with the samples of a scene: DEFLATE of the stored bytes, little-endian, whose SHA-256 it has. */
export const sceneMember = (collection: number, cube: number, scene: number): string =>
  `scenes/${collection}/${cube}/${scene}`;
/** Name of the member with a piece of a layer: the file from which it is served. */
export const pieceMember = (layer: number, piece: number): string => `layers/${layer}/${piece}`;

/** One member of a bundle. Its content must be read to its end before the next one is asked for. */
export interface BundleMember {
  readonly name: string;
  /** Length [bytes]. */
  readonly size: number;
  readonly content: AsyncIterable<Buffer>;
}

/** A bundle that is being written. Nothing has its name before `finish`. */
export interface BundleDraft {
  add(member: BundleMember): Promise<void>;
  /** Adds digests and signature, and gives the file its name. */
  finish(): Promise<{ readonly bytes: number; readonly signedBy: string }>;
  abandon(): Promise<void>;
}

/** Files of bundles. */
export interface BundleFiles {
  /** @throws InvalidInput when the file exists, or cannot be made */
  create(path: string): Promise<BundleDraft>;
  /**
   * Reads the members of a bundle in order. The digests of all members and the signature are checked at the end, so
   * nothing that was read counts before.
   * @param signer public key that must have signed it; undefined: any
   * @param onSigner receives the public key that signed it
   * @throws InvalidInput when it is no bundle, is damaged or was altered
   */
  read(
    path: string,
    signer: string | undefined,
    onSigner: (key: string) => void,
  ): AsyncIterable<BundleMember>;
}

/** Files from which pieces of layers are served, as bundles carry them. */
export interface PieceFiles {
  /** Size and SHA-256 of the file of a piece. */
  describe(file: string): Promise<{ readonly bytes: number; readonly sha256: string }>;
  content(file: string): AsyncIterable<Buffer>;
  /**
   * Stores the file of a piece, and checks all of it.
   * @throws InvalidInput when it is no such file, is damaged, or its disk is full
   */
  take(content: AsyncIterable<Buffer>, bytes: number): Promise<StoredBand>;
}

/** Remembers imports that did not end, so that the next one removes what they left. */
export interface ImportJournal {
  /** Cubes of imports whose process has ended. No other process removes them until `end`, and these imports end if they go on. */
  left(): Promise<readonly { readonly id: string; readonly collectionIds: readonly string[] }[]>;
  /** @returns id of the entry */
  begin(collectionIds: readonly string[]): Promise<string>;
  /** Whether an import still has its entry: another node may have taken it for dead. */
  isHeld(id: string): Promise<boolean>;
  end(id: string): Promise<void>;
}

/** What commands about bundles need. */
export interface BundleParts {
  readonly bundleFiles: BundleFiles;
  readonly pieceFiles: PieceFiles;
  readonly importJournal: ImportJournal;
}
