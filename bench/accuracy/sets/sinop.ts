import { readdirSync } from 'node:fs';
import { isPresent, pathOf, readBands } from '../data-set.ts';
import { follow } from '../engine.ts';
import { share, plainFigure, type AccuracySet, type Figure } from '../figure.ts';

const SET = 'sinop-modis-ndvi';
const PIXEL_AREA_M2 = 231.656 ** 2; // MOD13Q1, nominally 250 m
const SCALE = 1e-4; // NDVI per stored unit: README
const NAME = /_NDVI_(\d{4}-\d{2}-\d{2})\.tif$/;

async function measure(): Promise<Figure[]> {
  const files = readdirSync(pathOf(SET, ''))
    .filter((file) => NAME.test(file))
    .toSorted();
  const scenes = await Promise.all(files.map((file) => readBands(SET, file)));
  const { width, height } = scenes[0]!;
  const times = files.length;
  const ndvi = new Float32Array(width * height * times);
  for (const [t, { bands }] of scenes.entries())
    for (let p = 0; p < width * height; p++) ndvi[p * times + t] = bands[0]![p]! * SCALE;
  const timesMs = Float64Array.from(files, (file) => Date.parse(NAME.exec(file)![1]!));
  const { claims } = follow({ width, height, pixelAreaM2: PIXEL_AREA_M2, timesMs, metrics: { ndvi } });
  const confirmed = claims.filter(({ confirmedMs }) => confirmedMs !== null);
  return [
    plainFigure('one crop year: pixels with a confirmed change', share(confirmed.length, width * height)),
    plainFigure(
      'one crop year: pixels under suspicion at its end',
      share(claims.filter(({ status }) => status === 'suspected').length, width * height),
    ),
  ];
}

/** One year of monthly MODIS images over forest, pasture and double crops: too short to show a lasting change. */
export const SINOP: AccuracySet = { name: SET, isPresent: () => isPresent(SET), measure };
