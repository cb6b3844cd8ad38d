/**
 * What a user of a running service waits for: from the click on a change until both pictures before and after it are
 * drawn, in Debian's Chromium; a warm tile of a scene over one connection; and the processor time of a call by the
 * command line. Give its address and a key as NAME... With a certificate of its own, set NODE_EXTRA_CA_CERTS.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { asking, openBrowser, signIn } from './service/console.ts';
import { quantile } from './service/quantile.ts';

/** What the interface promises [ms]. */
const BUDGETS_MS = { pictures: 1_000, tile: 20, call: 250 } as const;
/** Most changes that are opened, warm tiles, and calls by the command line. */
const [CHANGES, TILES, CALLS] = [8, 200, 5];

const [base, key] = process.argv.slice(2);
if (base === undefined || key === undefined) throw new Error('npm run bench -- console-speed ADDRESS KEY');

const headers = { authorization: `Bearer ${key}` };
const ask = asking(base, key);

/** Quantiles of some times [ms]. */
function told(times: readonly number[]): string {
  const at = (share: number): string => quantile(times, share).toFixed(1);
  return `${at(0.5)} | ${at(0.9)} | ${at(1)}`;
}

/** Opens changes from the pages of their areas. @returns how long each took until its pictures were drawn [ms] */
async function clicks(): Promise<readonly number[]> {
  const page = await openBrowser({ width: 1280, height: 800 });
  const times: number[] = [];
  try {
    await page.open(base!);
    await signIn(page, key!);
    for (const { id } of (await ask('/v1/aois?limit=100'))['aois'] ?? []) {
      const { changes = [] } = await ask(`/v1/changes?aoi_id=${id}&limit=3`);
      for (const { id: change } of changes.slice(0, CHANGES - times.length)) {
        await page.evaluate(`location.hash = '#/areas/${id}'`);
        await page.until(`document.querySelector('#pane a[href="#/changes/${change}"]')`);
        times.push(
          Number(
            await page.evaluate(`new Promise((drawn) => {
              const from = performance.now();
              document.querySelector('#pane a[href="#/changes/${change}"]').click();
              const look = () => {
                const shown = [...document.querySelectorAll('.swipe img')].filter((one) => one.naturalWidth > 0);
                if (shown.length === 2) requestAnimationFrame(() => drawn(performance.now() - from));
                else setTimeout(look, 5);
              };
              look();
            })`),
          ),
        );
      }
    }
  } finally {
    await page.close();
  }
  return times;
}

/** Asks for one tile of the newest scene of the first collection again and again. */
async function tiles(): Promise<readonly number[]> {
  const { collections = [] } = await ask('/v1/collections?limit=1');
  const { scenes = [] } = await ask(`/v1/collections/${collections[0]!['id']}/scenes?limit=1`);
  const described = (await (
    await fetch(new URL(`/v1/tiles/scenes/${scenes[0]!['id']}`, base), { headers })
  ).json()) as { readonly bounds: readonly [number, number, number, number]; readonly maxzoom: number };
  const [west, south, east, north] = described.bounds;
  const z = Math.min(14, described.maxzoom);
  const x = Math.floor((((west + east) / 2 + 180) / 360) * 2 ** z);
  const lat = (((south + north) / 2) * Math.PI) / 180;
  const y = Math.floor(((1 - Math.asinh(Math.tan(lat)) / Math.PI) / 2) * 2 ** z);
  const times: number[] = [];
  for (let i = 0; i < TILES + 10; i++) {
    const from = performance.now();
    const answer = await fetch(new URL(`/v1/tiles/scenes/${scenes[0]!['id']}/${z}/${x}/${y}?f=webp`, base), {
      headers,
    });
    const { byteLength } = await answer.arrayBuffer();
    if (!answer.ok || byteLength === 0) throw new Error(`tile ${z}/${x}/${y}: ${answer.status}`);
    if (i >= 10) times.push(performance.now() - from); // the first ones make it
  }
  return times;
}

/** Lists incidents by the command line. @returns processor time of each call [ms] */
function calls(): readonly number[] {
  const home = mkdtempSync(join(tmpdir(), 'groundwatch-bench-'));
  const program = join(import.meta.dirname, '../bin/groundwatch.js');
  const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: home };
  const run = (line: string): string =>
    execFileSync('bash', ['-c', `TIMEFORMAT='%U %S'; { time ${line} >/dev/null 2>"$HOME/err"; } 2>&1`], {
      env: { ...env, PROGRAM: program, NODE: process.execPath, ADDRESS: base!, KEY: key! },
      encoding: 'utf8',
    });
  try {
    run(
      `echo "$KEY" > "$HOME/key"; "$NODE" "$PROGRAM" login --url "$ADDRESS" --key-file "$HOME/key" \${NODE_EXTRA_CA_CERTS:+--ca "$NODE_EXTRA_CA_CERTS"}`,
    );
    const call = '"$NODE" "$PROGRAM" incidents';
    run(call); // fills the code cache
    return Array.from({ length: CALLS }, () =>
      run(call)
        .trim()
        .split(' ')
        .reduce((sum, seconds) => sum + 1000 * Number(seconds), 0),
    );
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

console.log(`load ${loadavg()[0]!.toFixed(0)}`);
console.log('| | budget [ms] | median | 90 % | most |');
console.log('| --- | --- | --- | --- | --- |');
console.log(`| click on a change to both pictures | ${BUDGETS_MS.pictures} | ${told(await clicks())} |`);
console.log(`| warm tile of a scene | ${BUDGETS_MS.tile} | ${told(await tiles())} |`);
console.log(`| processor time of \`groundwatch incidents\` | ${BUDGETS_MS.call} | ${told(calls())} |`);
console.log(`load ${loadavg()[0]!.toFixed(0)} at the end`);
process.exit();
