import packageJson from '../../package.json' with { type: 'json' };
import type { CliDeps } from '../cli/command.ts';
import type { Config } from '../config.ts';
import { addressBlocks } from '../net/address-guard.ts';
import { guardedReader } from '../net/guarded-reader.ts';
import { AlertFolderReader } from '../sources/imagery/alert-folder.ts';
import { readDatesCsv } from '../sources/imagery/dates-csv.ts';
import { GeoTiffStackWriter } from '../sources/imagery/geotiff-stack-writer.ts';
import { SceneFolder } from '../sources/imagery/scene-folder.ts';
import { StackFileReader } from '../sources/imagery/stack-file.ts';
import { StacSceneSource } from '../sources/imagery/stac-scene-source.ts';
import { DisplacementCsvReader } from '../sources/records/displacement-csv.ts';
import { FireCsvReader } from '../sources/records/fire-csv.ts';
import { IbtracsCsvReader } from '../sources/records/ibtracs-csv.ts';
import { readLabels } from '../sources/records/labels-file.ts';
import { WeatherCsvReader } from '../sources/records/weather-csv.ts';
import { PointsFileReader } from '../sources/stations/points-file.ts';
import { extraAuthorities } from './authorities.ts';
import { readSetting } from './setting.ts';

const SOURCE_TIMEOUT_MS = 60_000; // timeout for one page of a catalogue, or one piece of a file

type Sources = Pick<
  CliDeps,
  | 'alerts'
  | 'displacementPoints'
  | 'files'
  | 'fires'
  | 'labels'
  | 'points'
  | 'sceneFolders'
  | 'scenes'
  | 'stacks'
  | 'stackWriter'
  | 'tracks'
  | 'weather'
>;

/** Opens the readers of files and of remote catalogues. @throws InvalidInput naming a setting that cannot be used */
export function openSources(config: Config): {
  readonly sources: Sources;
  readonly close: () => Promise<void>;
} {
  const reader = guardedReader({
    allow: readSetting('GROUNDWATCH_SOURCE_ALLOW', () => addressBlocks(config.sourceAllow)),
    extraCa: extraAuthorities(config),
    timeoutMs: SOURCE_TIMEOUT_MS,
    userAgent: `Groundwatch/${packageJson.version}`,
  });
  const scenes = new StacSceneSource(reader);
  const stacks = new StackFileReader();
  return {
    close: () => reader.close(),
    sources: {
      stacks: { open: (path, choice) => stacks.open(path, choice), readDates: readDatesCsv },
      alerts: new AlertFolderReader(),
      stackWriter: new GeoTiffStackWriter(),
      scenes,
      sceneFolders: new SceneFolder(scenes),
      files: scenes,
      labels: { readLabels },
      tracks: new IbtracsCsvReader(),
      displacementPoints: new DisplacementCsvReader(),
      weather: new WeatherCsvReader(),
      points: new PointsFileReader(),
      fires: new FireCsvReader(),
    },
  };
}
