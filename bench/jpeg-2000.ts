/**
 * Reads windows of a tile of 10,980 x 10,980 pixels in JPEG 2000, as ESA hands out a band of Sentinel-2 (tiles of 1,024,
 * lossless), beside GDAL: same samples, processor time of the whole processes, and peak memory. The tile is made by
 * gdal_translate, which has to be installed with OpenJPEG. Budget: 1 GB, and three times GDAL's processor time.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createWriteStream, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StacSceneSource } from '../src/sources/imagery/stac-scene-source.ts';

const SIZE = 10_980;
const WINDOW = 1500;
/** Corners of the windows: across the edges of four tiles each, and at the edge of the image. */
const CORNERS = [
  [0, 0],
  [3300, 500],
  [700, 6100],
  [5000, 5000],
  [8200, 3000],
  [SIZE - WINDOW, SIZE - WINDOW],
] as const;
const MOST_BYTES = 1e9;
const MOST_TIMES = 3;

const [task, path] = process.argv.slice(2);
if (task === 'read') await readWindows(path!);
else await compare();

/** Reads the windows in this process, and prints the digest of each and the peak memory. */
async function readWindows(file: string): Promise<void> {
  const raster = await new StacSceneSource(undefined as never).open(file);
  const digests: string[] = [];
  for (const [col, row] of CORNERS) {
    const samples = await raster.read(0, { col, row, width: WINDOW, height: WINDOW });
    digests.push(digest(Uint16Array.from(samples)));
  }
  await raster.close();
  console.log(JSON.stringify({ digests, peakBytes: process.resourceUsage().maxRSS * 1024 }));
}

async function compare(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'groundwatch-jpeg-2000-'));
  try {
    const tile = join(folder, 'tile.jp2');
    await makeTile(folder, tile);
    const ours = timed([process.execPath, import.meta.filename, 'read', tile]);
    const { digests, peakBytes } = JSON.parse(ours.out) as { digests: string[]; peakBytes: number };
    let theirs = 0;
    const known: string[] = [];
    for (const [col, row] of CORNERS) {
      const raw = join(folder, 'window.raw');
      const window = [col, row, WINDOW, WINDOW].map(String);
      const run = timed(['gdal_translate', '-q', '-of', 'ENVI', '-srcwin', ...window, tile, raw]);
      theirs += run.seconds;
      const bytes = readFileSync(raw);
      known.push(digest(new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2)));
    }
    const times = ours.seconds / theirs;
    console.log(
      `${CORNERS.length} windows of ${WINDOW} x ${WINDOW}: ${ours.seconds.toFixed(1)} s of processor time, ` +
        `GDAL ${theirs.toFixed(1)} s (${times.toFixed(2)} times), peak memory ${Math.round(peakBytes / 1e6)} MB`,
    );
    const isSame = digests.join() === known.join();
    console.log(isSame ? 'the samples are those of GDAL' : 'the samples differ from those of GDAL');
    if (!isSame || peakBytes > MOST_BYTES || times > MOST_TIMES) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A band of reflectance: fields of 40 pixels, a slope, and noise of 60 of 10,000. */
async function makeTile(folder: string, tile: string): Promise<void> {
  const raw = join(folder, 'tile.raw');
  const out = createWriteStream(raw);
  let state = 20_261_128;
  const random = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  const fields = Float32Array.from({ length: Math.ceil(SIZE / 40) ** 2 }, () => 3000 * random());
  for (let row = 0; row < SIZE; row++) {
    const line = new Uint16Array(SIZE);
    const field = Math.floor(row / 40) * Math.ceil(SIZE / 40);
    for (let col = 0; col < SIZE; col++)
      line[col] = 1000 + fields[field + Math.floor(col / 40)]! + col / 20 + 60 * random();
    if (!out.write(Buffer.from(line.buffer)))
      await new Promise<void>((resolve) => out.once('drain', () => resolve()));
  }
  await new Promise<void>((resolve) => out.end(() => resolve()));
  writeFileSync(
    join(folder, 'tile.hdr'),
    `ENVI\nsamples = ${SIZE}\nlines = ${SIZE}\nbands = 1\ndata type = 12\ninterleave = bsq\nbyte order = 0\n`,
  );
  const corners = ['-a_srs', 'EPSG:32633', '-a_ullr', '499980', '5200020', '609780', '5090220'];
  const packing = ['REVERSIBLE=YES', 'QUALITY=100', 'BLOCKXSIZE=1024', 'BLOCKYSIZE=1024', 'RESOLUTIONS=6'];
  const options = packing.flatMap((one) => ['-co', one]);
  timed(['gdal_translate', '-q', '-of', 'JP2OpenJPEG', ...corners, ...options, raw, tile]);
  if (!existsSync(tile)) throw new Error('gdal_translate made no JPEG 2000: GDAL with OpenJPEG is needed');
}

/** Runs a program by one thread. @returns what it printed, and its processor time [s] */
function timed(command: readonly string[]): { readonly out: string; readonly seconds: number } {
  const script = 'TIMEFORMAT="%U %S"; time "$@"';
  const environment = { ...process.env, GDAL_NUM_THREADS: '1', OPJ_NUM_THREADS: '1' };
  const run = spawnSync('bash', ['-c', script, 'bash', ...command], { encoding: 'utf8', env: environment });
  if (run.status !== 0) throw new Error(`${command[0]}: ${run.stderr}`);
  const [user, system] = run.stderr.trim().split('\n').at(-1)!.split(' ').map(Number);
  return { out: run.stdout, seconds: user! + system! };
}

function digest(samples: Uint16Array): string {
  return createHash('sha256')
    .update(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength))
    .digest('hex');
}
