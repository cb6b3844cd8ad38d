/**
 * Ingest of whole Sentinel-2 tiles of 10980 x 10980 pixels from a folder: peak memory of the command and of the process
 * that reads its files, and processor time, compared with GDAL reading the same files. Needs gdal_create and
 * gdal_translate, which make the files: tiles of 512 x 512, DEFLATE, of one value each, so that decompressing costs
 * little. GROUNDWATCH_BENCH_TILE sets another edge [pixels].
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { endedChildrenS, peakMb, treeS } from './service/process-cost.ts';
import { startService } from './service/running-service.ts';

const EDGE = Number(process.env['GROUNDWATCH_BENCH_TILE'] ?? 10_980);
/** Passes: while one is written, the next one may be read. */
const DATES = ['20240601', '20240606', '20240611'] as const;
const BUDGET_MB = 1000;
const LOOK_MS = 50;
/** Band, edge, value and type of the files of a pass. */
const FILES = [
  ['B04_10m', EDGE, 1500, 'UInt16'],
  ['B08_10m', EDGE, 4000, 'UInt16'],
  ['SCL_20m', EDGE / 2, 4, 'Byte'],
] as const;

/** Writes the files of all passes. @returns their folder */
function writeScenes(root: string): string {
  const folder = join(root, 'scenes');
  mkdirSync(folder);
  const path = (date: string, band: string): string => {
    const product = join(folder, `S2A_MSIL2A_${date}T100031_N0510_R122_T33TVM_${date}T160000.SAFE`);
    mkdirSync(product, { recursive: true });
    return join(product, `T33TVM_${date}T100031_${band}.tif`);
  };
  const side = EDGE * 10;
  for (const [band, edge, value, type] of FILES) {
    const made = path(DATES[0], band);
    const corners = [500_000, 5_100_000, 500_000 + side, 5_100_000 - side].join(' ');
    const options =
      `-q -of GTiff -co TILED=YES -co BLOCKXSIZE=512 -co BLOCKYSIZE=512 -co COMPRESS=DEFLATE -ot ${type} ` +
      `-outsize ${edge} ${edge} -bands 1 -burn ${value} -a_srs EPSG:32633 -a_ullr ${corners}`;
    execFileSync('gdal_create', [...options.split(' '), made]);
    for (const date of DATES.slice(1)) copyFileSync(made, path(date, band));
  }
  return folder;
}

/** Processes that a process has started. */
function childrenOf(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return []; // it has ended
  }
}

const load = (): string => `load ${loadavg()[0]!.toFixed(1)}`;
const service = await startService();
try {
  const folder = writeScenes(service.folder);
  const before = endedChildrenS();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    if (name.endsWith('.tif'))
      execFileSync('gdal_translate', ['-q', '-of', 'ENVI', join(folder, name), join(service.folder, 'read')]);
  const gdalS = endedChildrenS() - before;
  const options = ['--collection', 'tile', '--metrics', 'ndvi', '--no-true-colour', '--no-wait', '--json'];
  const child = service.command('ingest', 'scenes', folder, ...options);
  child.stdout!.resume();
  /** Peak memory of the command and of what it has started, by process [MB]. */
  const peaks = new Map<number, number>();
  let cpuS = 0;
  const look = setInterval(() => {
    for (const pid of [child.pid!, ...childrenOf(child.pid!)])
      peaks.set(pid, peakMb(pid) || peaks.get(pid) || 0);
    cpuS = treeS(child.pid!) || cpuS;
  }, LOOK_MS);
  const begun = performance.now();
  const [code] = (await once(child, 'exit')) as [number | null];
  clearInterval(look);
  if (code !== 0) throw new Error(`the ingest ended with code ${code}`);
  const [own, ...others] = [...peaks.values()];
  const all = own! + others.reduce((sum, mb) => sum + mb, 0);
  const pixels = (DATES.length * EDGE * EDGE) / 1e6;
  console.log(`${DATES.length} passes of ${EDGE} x ${EDGE}, NDVI, ${load()}`);
  console.log(
    `peak memory: ${own!.toFixed(0)} MB, and ${others.map((mb) => mb.toFixed(0)).join(' + ')} MB of what it started; ` +
      `${all.toFixed(0)} MB together, budget ${BUDGET_MB} MB`,
  );
  console.log(
    `processor time ${cpuS.toFixed(1)} s, ${((1000 * cpuS) / pixels).toFixed(0)} ns a pixel; GDAL from the same files ` +
      `to a raw file ${gdalS.toFixed(1)} s; ${((performance.now() - begun) / 1000).toFixed(0)} s in all`,
  );
} finally {
  await service.stop();
}
