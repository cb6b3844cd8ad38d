import type { BundleParts } from '../app/bundles/bundle.ts';
import type { LabelsReader } from '../app/changes/backtest/labels.ts';
import type { ErasureParts } from '../app/access/erase-account.ts';
import type { AreaFileReader } from '../app/areas/area-file-reader.ts';
import type { Deps } from '../app/deps.ts';
import type { FireRecordReader } from '../app/layers/derive/fire-record-reader.ts';
import type { DisplacementPointReader } from '../app/layers/derive/displacement-points-reader.ts';
import type { InstallationCheck } from './installation-check.ts';
import type { DatasetSecret } from '../app/layers/install/dataset.ts';
import type { Downloads } from '../app/layers/install/downloads.ts';
import type { ObjectsMove } from './backups/objects-move.ts';
import type { BackupToRestore, RestoredAccount, RestoredBackup } from './backups/restored.ts';
import type { LayerReader } from '../app/risk/layer-reader.ts';
import type { LayerShelf } from '../app/layers/layer-shelf.ts';
import type { AlertReader, DatesReader, StackReader, StackWriter } from '../app/imagery/raster-stack.ts';
import type { Environment } from '../app/owner.ts';
import type { RemoteFiles, SceneSource } from '../app/imagery/scene-source.ts';
import type { PointsReader } from '../app/stations/points-reader.ts';
import type { LandReader } from '../app/layers/derive/land-reader.ts';
import type { StormTrackReader } from '../app/layers/derive/storm-tracks-reader.ts';
import type { WeatherReader } from '../app/layers/derive/weather-record-reader.ts';
import { parseMoment } from '../base/time.ts';

/** An option of a command. An option with `value` takes a value; an option without it is a flag. */
export interface Option {
  readonly value?: string;
  readonly meaning: string;
  readonly required?: boolean;
  readonly fallback?: string;
  /** Former name of the option, which is still accepted. Neither the help nor completion shows it. */
  readonly formerly?: string;
}

/** Dependencies of commands in addition to {@link Deps}. */
export interface CliDeps extends Deps, BundleParts {
  readonly stacks: StackReader & DatesReader;
  readonly alerts: AlertReader;
  readonly areaFiles: AreaFileReader;
  readonly stackWriter: StackWriter;
  readonly scenes: SceneSource;
  readonly sceneFolders: SceneSource;
  readonly files: RemoteFiles;
  readonly labels: LabelsReader;
  readonly shelf: LayerShelf;
  /** The layers. A command may open before those of a bucket are fetched, which takes time. */
  readonly layers: LayerReader & {
    /** Fetches and opens installed layers that were left out. */
    loadInstalled(): Promise<void>;
    /** Reads the list of layers again, after a change of it. */
    reload(): Promise<void>;
  };
  readonly tracks: StormTrackReader;
  readonly displacementPoints: DisplacementPointReader;
  readonly weather: WeatherReader;
  readonly points: PointsReader;
  readonly fires: FireRecordReader;
  readonly land: LandReader;
  readonly downloads: Downloads;
  /** Folder for files that are fetched to be installed. */
  readonly downloadFolder: string;
  /** The key that a data set needs; undefined where its setting is not given. */
  readonly datasetSecret: (name: DatasetSecret) => Promise<string | undefined>;
  /**
   * Writes the whole installation into a new file, encrypted to public keys of age unless there are none.
   * @throws InvalidInput when the file exists, or a key is no public key
   */
  readonly backUp: (
    path: string,
    recipients: readonly string[],
    /** Whether objects of a bucket are copied into the file; otherwise the file names them. */
    copiesObjects: boolean,
  ) => Promise<{
    readonly tables: number;
    readonly files: number;
    /** Size of the backup [bytes]. */
    readonly size: number;
    /** Whether the backup contains the key that decrypts its secrets. */
    readonly keyFile: boolean;
    /** Public key that signed the backup. */
    readonly signedBy: string;
    /** Path of the file beside the backup that has the keys of the accounts. */
    readonly accountKeys: string;
    /** The cubes of the bucket; undefined when cubes are files. */
    readonly objects: BackedUpCubes | undefined;
  }>;
  /** Backups that keep objects of the bucket; undefined when the installation has no bucket. */
  readonly bucketBackups: BucketBackups | undefined;
  /** The move of cubes and layers to the bucket; undefined when the settings do not say that they are moved. */
  readonly objectsMove: ObjectsMove | undefined;
  /** What `accounts erase` needs. */
  readonly erasure: ErasureParts;
  /** Forgets folders of backups that are gone for good. @throws InvalidInput naming one that has no backups */
  readonly forgetBackupPlaces: (folders: readonly string[]) => Promise<void>;
  /** Replaces the key that encrypts secrets at rest, and encrypts all secrets again with the new key. */
  readonly rotateSecretKey: () => Promise<RotatedSecrets>;
}

/** What a backup has of the cubes in a bucket. */
export interface BackedUpCubes {
  /** Name of the backup in the bucket; undefined when the file has copies. */
  readonly id: string | undefined;
  readonly cubes: number;
  readonly objects: number;
  /** Size of the objects [bytes]. */
  readonly bytes: number;
}

/** Backups that keep objects of the bucket from being deleted. */
export interface BucketBackups {
  list(): Promise<
    readonly {
      readonly id: string;
      readonly made_at: string;
      readonly is_complete: boolean;
      readonly cubes: readonly unknown[];
    }[]
  >;
  /** Lets go of what a backup keeps. @returns the number of deleted objects; undefined when there is no such backup */
  release(id: string): Promise<number | undefined>;
}

/** What `secrets rotate` did. */
export interface RotatedSecrets {
  /** Number of secrets that were encrypted again. */
  readonly resealed: number;
  /** Path of the key file; undefined when a setting or a key service gives the key. */
  readonly keyFile: string | undefined;
  /** With a key service: the file or the setting that gave the key before, and is no longer needed. */
  readonly former?: string | undefined;
  readonly byKeyService: boolean;
}

/** The environment of a running command: its output, and the installation that it works on. */
export interface CliContext {
  readonly json: boolean;
  /** Prints the result: with `--json` exactly one line of JSON, otherwise the text. */
  print(result: Readonly<Record<string, unknown>>, text: string): void;
  /** Prints progress to stderr. */
  note(text: string): void;
  /** Asks a question that is answered yes or no; undefined where nobody is at a terminal. */
  confirm(question: string): Promise<boolean | undefined>;
  /** Opens the installation on first use. It is closed after the command. */
  open(): Promise<CliDeps>;
  /** The checks of the installation. They run even if the installation is broken. */
  checks(): readonly InstallationCheck[] | Promise<readonly InstallationCheck[]>;
  /** Restores a backup into an empty installation. Must be called before `open`. @throws InvalidInput */
  restore(source: BackupToRestore): Promise<RestoredBackup>;
  /**
   * Restores one account of a backup into an installation without running nodes. Others are not touched.
   * @param account its name here or its id
   */
  restoreAccount(source: BackupToRestore, account: string): Promise<RestoredAccount>;
  /** Makes a pair of keys of age: `identity` opens what is encrypted to `recipient`. */
  newBackupKey(): Promise<{ readonly identity: string; readonly recipient: string }>;
  /** Drops the secrets that were encrypted with a lost key. Unlike `open`, it does not require that key. */
  forgetSecrets(): Promise<{
    readonly webhooks: number;
    readonly signingKeys: number;
    readonly auditChain: boolean;
  }>;
  /** What a command needs that calls a service over its API. */
  caller(): Caller;
  /** Runs the service until a signal stops it. */
  serve(options: {
    readonly worker: boolean;
    readonly api: boolean;
    readonly console: boolean;
  }): Promise<void>;
}

/** What a command needs that calls a service over its API. */
export interface Caller {
  /** File in which `login` keeps the address and the key. */
  readonly loginFile: string;
  /** Address of the service that runs on this data folder, or, when none can be asked, of the one that would. */
  localUrl(): Promise<string>;
  /** File of the authority that signs the certificate of that service. It may not exist. */
  readonly localCaFile: string;
  /** Makes a `fetch` that trusts an authority (PEM) in addition to the system's. */
  fetchTrusting(ca: string | undefined): typeof globalThis.fetch;
  /** Reads a secret from the terminal, or from standard input when that is no terminal. */
  readSecret(prompt: string): Promise<string>;
}

export interface Command {
  /** Full name of the command, such as `keys create`. */
  readonly name: string;
  readonly summary: string;
  /** Names of the required operands. */
  readonly operands?: readonly string[];
  readonly options?: Readonly<Record<string, Option>>;
  /**
   * Whether runs of the command are recorded in the audit log: true for commands that change permissions, or change
   * data from which answers are computed.
   */
  readonly audited?: true;
  /**
   * Whether a running service may run the command: true for commands that take less than a moment, use nothing of the
   * context but `open`, and read no file of the caller.
   */
  readonly isLight?: true;
  run(context: CliContext, given: Given): Promise<void>;
}

/** The parsed command line. */
export interface Given {
  readonly operands: readonly string[];
  /** Values by option name; `true` for a flag. */
  readonly options: Readonly<Record<string, string | true | undefined>>;
}

/** An invalid command line. The process exits with code 2. */
export class Misuse extends Error {
  override readonly name = 'Misuse';
}

/** A problem that a valid command found. The process exits with code 1. The message is one sentence. */
export class Failed extends Error {
  override readonly name = 'Failed';
}

/** A valid command did a part of what it was given, and printed it. The process exits with code 3. */
export class Incomplete extends Error {
  override readonly name = 'Incomplete';
}

/** The value of an option as text; undefined when the option is not given. */
export function text(given: Given, name: string): string | undefined {
  const value = given.options[name];
  return typeof value === 'string' ? value : undefined;
}

/** The value of a required option. @throws Misuse */
export function required(given: Given, name: string): string {
  const value = text(given, name);
  if (value === undefined || value === '') throw new Misuse(`--${name} is required`);
  return value;
}

/** Parses the value of an option as a decimal number; undefined when the option is not given. @throws Misuse */
export function number(given: Given, name: string): number | undefined {
  const value = text(given, name);
  if (value === undefined) return undefined;
  if (!/^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value) || !Number.isFinite(Number(value)))
    throw new Misuse(`--${name}: expected a number, got ${value}`);
  return Number(value);
}

/**
 * Parses the value of an option as a time [ms since the Unix epoch]; undefined when the option is not given.
 * @throws Misuse
 */
export function moment(given: Given, name: string): number | undefined {
  const value = text(given, name);
  if (value === undefined) return undefined;
  const parsed = parseMoment(value);
  if (parsed === undefined)
    throw new Misuse(`--${name}: expected YYYY-MM-DD or an RFC 3339 time that exists, got ${value}`);
  return parsed.ms;
}

/** The value of `--environment`; production by default. @throws Misuse */
export function environment(given: Given): Environment {
  const value = text(given, 'environment') ?? 'production';
  if (value !== 'sandbox' && value !== 'staging' && value !== 'production')
    throw new Misuse(`--environment: expected sandbox, staging or production, got ${value}`);
  return value;
}

export const ENVIRONMENT: Option = {
  value: 'sandbox|staging|production',
  meaning: 'environment it belongs to',
  fallback: 'production',
};

/** Formats a table with aligned columns. Line breaks and other control characters in a cell become spaces. */
export function table(header: readonly string[], cells: readonly (readonly string[])[]): string {
  const rows = cells.map((row) => row.map((cell) => cell.replaceAll(/\p{Cc}+/gu, ' ')));
  const widths = header.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]!.length)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join('  ')
      .trimEnd();
  return [line(header), ...rows.map(line)].join('\n');
}
