/**
 * Long tasks of the console's map while it is dragged over 100,000 changes of one account, in Debian's Chromium, at
 * several zooms: the longest task of the page's thread, in processor time and by the clock. The clock also counts what
 * else the machine does, such as drawing without a graphics card. Give another number of changes as NAME...
 */
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { openPage } from '../test/fixtures/browser.ts';
import { testDatabase } from '../test/fixtures/database.ts';
import { signIn } from './service/console.ts';
import { startService } from './service/running-service.ts';

const COUNT = Number(process.argv[2] ?? 100_000);
const AREA = 'aoi_01k00000000000000000000001';
/** Largest task that the interface promises while the map is dragged [ms]. */
const BUDGET_MS = 100;
/** From which on a task is long: W3C Long Tasks API [ms]. */
const LONG_MS = 50;
/** Steps of zoom before each drag, and their sum. */
const ZOOMS = [
  [0, 'as it opens'],
  [2, '2'],
  [2, '4'],
  [3, '7'],
] as const;
/** Drags at each zoom, and moves of the pointer of each. */
const DRAGS = 4;
const MOVES = 15;

/** Expression that drags the map, and resolves to the frames per second meanwhile. */
const DRAG = `(async () => {
  const canvas = document.querySelector('.map-canvas canvas');
  const { left, top, width, height } = canvas.getBoundingClientRect();
  const send = (target, type, x, y) => target.dispatchEvent(
    new MouseEvent(type, { clientX: x, clientY: y, button: 0, buttons: type === 'mouseup' ? 0 : 1, bubbles: true }));
  const began = performance.now();
  let frames = 0;
  for (let drag = 0; drag < ${DRAGS}; drag++) {
    const [dx, dy] = [[-40, 0], [0, -25], [30, 20], [-40, 15]][drag % 4];
    let [x, y] = [left + width / 2 - dx * ${MOVES} / 2, top + height / 2 - dy * ${MOVES} / 2];
    send(canvas, 'mousedown', x, y);
    for (let move = 0; move < ${MOVES}; move++) {
      await new Promise((drawn) => requestAnimationFrame(drawn));
      send(document, 'mousemove', x += dx, y += dy);
      frames++;
    }
    send(document, 'mouseup', x, y);
  }
  return (1000 * frames) / (performance.now() - began);
})()`;

const database = await testDatabase();
const service = await startService({ withConsole: true, databaseUrl: database.url });
await fill();
const page = await openPage(service.base, { width: 1440, height: 900 }, { trusts: true });
try {
  await page.prefer('light');
  await signIn(page, service.key);
  await page.until(`document.querySelector('.map[data-drawn=true]')`);
  console.log(`${COUNT.toLocaleString('en')} changes; budget ${BUDGET_MS} ms`);
  console.log(
    '| zoomed in by | tiles of changes loaded | tasks over 50 ms of processor time | longest | longest by the clock | frames per second |',
  );
  console.log('| --- | --- | --- | --- | --- | --- |');
  let longest = 0;
  for (const [steps, name] of ZOOMS) {
    for (let i = 0; i < steps; i++) {
      await page.evaluate(`document.querySelector('.maplibregl-ctrl-zoom-in').click()`);
      await pause(700);
    }
    const { tiles, tasks, fps } = await drag();
    const most = Math.max(...tasks.map(({ cpuMs }) => cpuMs));
    longest = Math.max(longest, most);
    const long = tasks.filter(({ cpuMs }) => cpuMs > LONG_MS).length;
    const clock = Math.max(...tasks.map(({ wallMs }) => wallMs));
    console.log(
      `| ${name} | ${tiles} | ${long} | ${most.toFixed(0)} ms | ${clock.toFixed(0)} ms | ${fps.toFixed(0)} |`,
    );
  }
  console.log(`longest: ${longest.toFixed(0)} ms; complaints of the browser: ${page.complaints.length}`);
} finally {
  await page.close();
  await service.stop();
  await database.close();
}
process.exit(0);

/** One area of 10 by 10 degrees, and changes of 12 corners at random in it. */
async function fill(): Promise<void> {
  const { id: account } = await database.db
    .selectFrom('accounts')
    .select('id')
    .where('name', '=', 'bench')
    .executeTakeFirstOrThrow();
  const types = `array['vegetation_loss', 'burn', 'vegetation_gain', 'water_gain', 'built_up', 'ground_subsidence']`;
  await database.db.transaction().execute(async (transaction) => {
    for (const statement of [
      sql`set local session_replication_role = replica`,
      sql`set local statement_timeout = 0`,
      sql`insert into aois (account_id, environment, id, name, geometry, bounds, area_m2)
        values (${account}, 'production', ${AREA}, 'All of it',
          '{"type":"Polygon","coordinates":[[[10,40],[20,40],[20,50],[10,50],[10,40]]]}'::jsonb,
          box '(20,50),(10,40)', 1e12)`,
      sql`insert into collections (environment, account_id, id, name, metric, unit, kind, bounds, scale, value_offset,
          sample_type, grid, pixel_area_m2)
        values ('production', ${account}, 'col_01k00000000000000000000001', 'images', 'ndvi', '1', 'raster',
          box '(20,50),(10,40)', 1, 0, 'int16', '{"crs":"EPSG:4326","proj4":"","width":1,"height":1}', 100)`,
      sql`insert into changes (environment, collection_id, id, model_version, object_key, type, status, confidence,
          metric, magnitude, area_m2, geometry, bounds, first_anomaly_at, detected_at, confirmed_at, digest, provenance,
          versions, told_as)
        select 'production', 'col_01k00000000000000000000001', 'chg_01k' || lpad(to_hex(i), 23, '0'), 'v', i::text,
          (${sql.raw(types)})[1 + i % 6], 'confirmed', .9, 'ndvi', -.4, 1e10 * size * size,
          (select jsonb_build_object('type', 'Polygon', 'coordinates', jsonb_build_array(jsonb_agg(jsonb_build_array(
            lng + size * cos(k * pi() / 6), lat + size * sin(k * pi() / 6)) order by k)))
            from generate_series(0, 12) as k),
          box(point(lng + size, lat + size), point(lng - size, lat - size)), '2025-06-01', '2025-09-01', '2025-09-01',
          'd', '{}', '[]', 'confirmed'
        from (select i, 10 + 10 * random() as lng, 40 + 10 * random() as lat, .0005 + .01 * power(random(), 6) as size
          from generate_series(1, ${COUNT}) as i) as given`,
      sql`insert into aoi_changes (account_id, environment, aoi_id, change_id, status, detected_at, published_at)
        select ${account}, 'production', ${AREA}, id, 'confirmed', detected_at, now() from changes`,
    ])
      await statement.execute(transaction);
  });
  await sql`vacuum analyze`.execute(database.db);
}

/** Drags the map to and fro by the mouse, as fast as it is drawn, and waits for its tiles. */
async function drag() {
  await page.evaluate(`performance.clearResourceTimings(); performance.setResourceTimingBufferSize(5000)`);
  let fps = 0;
  const tasks = await page.tasksOf(async () => {
    fps = (await page.evaluate(DRAG)) as number;
    await pause(2_000); // the tiles that the last drag asked for
  });
  const tiles = (await page.evaluate(`performance.getEntriesByType('resource')
    .filter(({ name }) => name.includes('/v1/tiles/changes/')).length`)) as number;
  return { fps, tiles, tasks };
}
