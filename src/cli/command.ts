import type { LabelsReader } from '../app/changes/backtest/labels.ts';
import type { Deps } from '../app/deps.ts';
import type { GustRecordReader } from '../app/layers/derive/gust-records-reader.ts';
import type { FireRecordReader } from '../app/layers/derive/fire-record-reader.ts';
import type { DisplacementPointReader } from '../app/layers/derive/displacement-points-reader.ts';
import type { InstallationCheck } from './installation-check.ts';
import type { LayerShelf } from '../app/layers/layer-shelf.ts';
import type { DatesReader, StackReader, StackWriter } from '../app/imagery/raster-stack.ts';
import type { Environment } from '../app/owner.ts';
import type { RemoteFiles, SceneSource } from '../app/imagery/scene-source.ts';
import type { PointsReader } from '../app/stations/points-source.ts';
import type { StormTrackReader } from '../app/layers/derive/storm-tracks-reader.ts';
import type { WeatherReader } from '../app/layers/derive/weather-record-reader.ts';
import { parseMoment } from '../base/time.ts';

/** An option that takes a value, or (`flag`) none. */
export interface Option {
  readonly value?: string;
  readonly meaning: string;
  readonly required?: boolean;
  readonly fallback?: string;
}

/** What commands need besides the use cases' own ports. */
export interface CliDeps extends Deps {
  readonly stacks: StackReader & DatesReader;
  readonly stackWriter: StackWriter;
  readonly scenes: SceneSource;
  readonly sceneFolders: SceneSource;
  readonly files: RemoteFiles;
  readonly labels: LabelsReader;
  readonly shelf: LayerShelf;
  readonly tracks: StormTrackReader;
  readonly displacementPoints: DisplacementPointReader;
  readonly gustRecords: GustRecordReader;
  readonly weather: WeatherReader;
  readonly points: PointsReader;
  readonly fires: FireRecordReader;
  /** Writes the whole installation into a new file. @throws InvalidInput when it is there already */
  readonly backUp: (path: string) => Promise<{
    readonly tables: number;
    readonly files: number;
    /** bytes */
    readonly size: number;
    /** Whether it holds the key that opens its secrets. */
    readonly keyFile: boolean;
  }>;
  /** Puts a new key in the place of the one that encrypts secrets at rest, and encrypts them all anew. */
  readonly rotateSecretKey: () => Promise<{
    readonly resealed: number;
    readonly keyFile: string | undefined;
  }>;
}

/** How a command meets the world: everything it prints, and the installation it works on. */
export interface CliContext {
  readonly json: boolean;
  /** The result: with `--json` exactly one line of JSON, else the text given. */
  print(result: Readonly<Record<string, unknown>>, text: string): void;
  /** Progress, to stderr. */
  note(text: string): void;
  /** Opens the installation on first use; closed when the command is done. */
  open(): Promise<CliDeps>;
  /** The checks of the installation; none of them needs it to be sound. */
  checks(): readonly InstallationCheck[];
  /** Makes an installation of a backup, before anything is opened; what follows finds it there. @throws InvalidInput */
  restore(path: string): Promise<{ readonly tables: number; readonly files: number }>;
  /** Drops what is sealed under a key that is lost; nothing else opens an installation that lacks its key. */
  forgetSecrets(): Promise<{
    readonly webhooks: number;
    readonly signingKeys: number;
    readonly auditChain: boolean;
  }>;
  /** Runs the service until it is told to stop. */
  serve(options: {
    readonly worker: boolean;
    readonly api: boolean;
    readonly console: boolean;
  }): Promise<void>;
}

export interface Command {
  /** `keys create` */
  readonly name: string;
  readonly summary: string;
  /** Names of the words that follow the command. */
  readonly operands?: readonly string[];
  readonly options?: Readonly<Record<string, Option>>;
  /** It changes who may do what, or what answers rest on: it is recorded in the audit log. */
  readonly audited?: true;
  run(context: CliContext, given: Given): Promise<void>;
}

/** What the caller typed. */
export interface Given {
  readonly operands: readonly string[];
  /** Values by option name; a flag that is set is `true`. */
  readonly options: Readonly<Record<string, string | true | undefined>>;
}

/** The command line cannot be carried out as typed: exit 2. */
export class Misuse extends Error {
  override readonly name = 'Misuse';
}

/** The command did its work and found what must not be: exit 1, in one sentence. */
export class Failed extends Error {
  override readonly name = 'Failed';
}

/** The text of an option that has one. */
export function text(given: Given, name: string): string | undefined {
  const value = given.options[name];
  return typeof value === 'string' ? value : undefined;
}

/** The text of an option that must be there. @throws Misuse */
export function required(given: Given, name: string): string {
  const value = text(given, name);
  if (value === undefined || value === '') throw new Misuse(`--${name} is required`);
  return value;
}

/** A number in decimal form. @throws Misuse */
export function number(given: Given, name: string): number | undefined {
  const value = text(given, name);
  if (value === undefined) return undefined;
  if (!/^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value) || !Number.isFinite(Number(value)))
    throw new Misuse(`--${name}: expected a number, got ${value}`);
  return Number(value);
}

/** A time [ms since the Unix epoch]. @throws Misuse */
export function moment(given: Given, name: string): number | undefined {
  const value = text(given, name);
  if (value === undefined) return undefined;
  const parsed = parseMoment(value);
  if (parsed === undefined)
    throw new Misuse(`--${name}: expected YYYY-MM-DD or an RFC 3339 time that exists, got ${value}`);
  return parsed.ms;
}

/** @throws Misuse */
export function environment(given: Given): Environment {
  const value = text(given, 'environment') ?? 'production';
  if (value !== 'sandbox' && value !== 'staging' && value !== 'production')
    throw new Misuse(`--environment: expected sandbox, staging or production, got ${value}`);
  return value;
}

export const ENVIRONMENT: Option = {
  value: 'sandbox|staging|production',
  meaning: 'the world it belongs to',
  fallback: 'production',
};

/** Columns of text, aligned. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]!.length)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join('  ')
      .trimEnd();
  return [line(header), ...rows.map(line)].join('\n');
}
