import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import type { CliDeps } from '../cli/command.ts';
import { type Config, readingEnvironment } from '../config.ts';
import { addressBlocks } from '../net/address-guard.ts';
import { type GuardedReader, guardedReader } from '../net/guarded-reader.ts';
import { hasAccess, secretText, sourceAccess } from '../net/source-access.ts';
import { fileDownloads } from '../sources/layers/file-downloads.ts';
import { ConfinedReaders } from '../sources/confined/confined-readers.ts';
import { readingLimits } from '../sources/confined/reading-limits.ts';
import { GeoTiffStackWriter } from '../sources/imagery/geotiff-stack-writer.ts';
import type { LayerFiles } from '../sources/layers/layer-files.ts';
import { extraAuthorities } from './authorities.ts';
import { readSetting } from './setting.ts';

const SOURCE_TIMEOUT_MS = 60_000; // timeout for one page of a catalogue, or one piece of a file

type Sources = Pick<
  CliDeps,
  | 'alerts'
  | 'areaFiles'
  | 'datasetSecret'
  | 'displacementPoints'
  | 'downloadFolder'
  | 'downloads'
  | 'files'
  | 'fires'
  | 'labels'
  | 'land'
  | 'points'
  | 'sceneFolders'
  | 'scenes'
  | 'stacks'
  | 'stackWriter'
  | 'tracks'
  | 'weather'
>;

/**
 * Opens the readers of files and of remote catalogues. They read in a process of their own, with limits.
 * @throws InvalidInput naming a setting that cannot be used
 */
export function openSources(config: Config): {
  readonly sources: Sources;
  readonly layerFiles: LayerFiles;
  readonly close: () => Promise<void>;
} {
  readSetting('GROUNDWATCH_SOURCE_ALLOW', () => addressBlocks(config.sourceAllow));
  const setup = {
    allow: config.sourceAllow,
    extraCa: extraAuthorities(config),
    timeoutMs: SOURCE_TIMEOUT_MS,
    userAgent: `Groundwatch/${packageJson.version}`,
  };
  const tokens = hasAccess(config.sourceAccess)
    ? guardedReader({ ...setup, allow: addressBlocks(setup.allow) })
    : undefined;
  const authorise = tokens && sourceAccess(config.sourceAccess, tokens);
  let downloading: GuardedReader | undefined;
  const readers = new ConfinedReaders({
    setup,
    authorise,
    limits: readingLimits(),
    environment: readingEnvironment(),
  });
  const { areaFiles, stacks, alerts, scenes, sceneFolders, labels, tracks } = readers;
  const { displacementPoints, weather, points, fires, land, layerFiles } = readers;
  return {
    close: async () => {
      await Promise.all([readers.close(), tokens?.close(), downloading?.close()]);
    },
    layerFiles,
    sources: {
      stacks,
      alerts,
      areaFiles,
      scenes,
      sceneFolders,
      labels,
      tracks,
      displacementPoints,
      weather,
      points,
      fires,
      land,
      files: scenes,
      downloads: fileDownloads(
        () => (downloading ??= guardedReader({ ...setup, allow: addressBlocks(setup.allow), authorise })),
        hidden,
      ),
      downloadFolder: join(config.dataFolder, 'downloads'),
      datasetSecret: async (name) => {
        const secret = { GROUNDWATCH_FIRMS_KEY: config.firmsKey, GROUNDWATCH_EGMS_TOKEN: config.egmsToken }[
          name
        ];
        return secret === undefined ? undefined : secretText(secret);
      },
      stackWriter: new GeoTiffStackWriter(),
    },
  };
}

/** Removes the map key of FIRMS and the token of EGMS from an address. */
function hidden(text: string): string {
  return text
    .replaceAll(/(\/api\/area\/csv\/)[^/\s]+/g, '$1{key}')
    .replaceAll(/(\/EGMS_\w+\.zip\?id=)[^&\s:]+/g, '$1{key}');
}
