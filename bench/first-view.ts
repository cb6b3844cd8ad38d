/**
 * Bytes of the first view of the console, in Debian's Chromium with an empty cache: all answers from the sign-in until
 * the map is drawn and four seconds later, headers included. Give the address of a running service, a key, and if you
 * like the width and height of the window as NAME...
 */
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { openBrowser, signIn } from './service/console.ts';

/** Most bytes that the interface promises. */
const BUDGET_BYTES = 350_000;
/** What is loaded after the map was drawn counts for so long [ms]. */
const AFTER_MS = 4_000;

const [base, key, width = '1280', height = '800'] = process.argv.slice(2);
if (base === undefined || key === undefined) throw new Error('npm run bench -- first-view ADDRESS KEY');

/** What an address is, for the table. */
function kindOf({ pathname }: URL): string {
  if (pathname.startsWith('/assets/map-library')) return 'map library';
  if (pathname.startsWith('/v1/tiles/scenes')) return 'tiles of the scene';
  if (pathname.startsWith('/v1/tiles')) return 'vector tiles';
  if (pathname.startsWith('/base-map')) return 'base map';
  return pathname.startsWith('/v1') ? 'lists' : 'page, scripts and styles';
}

const size = { width: Number(width), height: Number(height) };
const page = await openBrowser(size);
try {
  await page.open(base);
  await signIn(page, key);
  await pause(AFTER_MS);
  const answers = page.received.filter(({ url }) => url.startsWith('http'));
  const total = answers.reduce((sum, { bytes }) => sum + bytes, 0);
  console.log(`load ${loadavg()[0]!.toFixed(0)}, ${width} x ${height}`);
  console.log('| | answers | kB |');
  console.log('| --- | --- | --- |');
  for (const [kind, of] of Map.groupBy(answers, ({ url }) => kindOf(new URL(url))))
    console.log(
      `| ${kind} | ${of.length} | ${(of.reduce((sum, { bytes }) => sum + bytes, 0) / 1000).toFixed(1)} |`,
    );
  console.log(`| all | ${answers.length} | ${(total / 1000).toFixed(1)} (budget ${BUDGET_BYTES / 1000}) |`);
} finally {
  await page.close();
}
process.exit(0);
