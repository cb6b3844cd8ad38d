import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unrankedFrame } from '../../../test/fixtures/unranked-frame.ts';
import { DAY_MS } from '../../base/time.ts';
import { metricTraits } from '../metric.ts';
import { PARAMETERS } from '../parameters.ts';
import { likeBank } from '../scene/bank-builder.ts';
import { JudgeBaseline } from './judge-baseline.ts';
import { LikeComparison } from './like-comparison.ts';
import { PendingObservations } from './pending.ts';

const NDVI = metricTraits('ndvi')!;
const TIMES = 130;
const STEP_DAYS = 12;
const SIDE = 12;
const LEVEL = 0.8;
/** Number of scenes of a season that are not history. */
const LOOKS = Math.floor(PARAMETERS.seasonMs / (STEP_DAYS * DAY_MS));
const FROM = TIMES - LOOKS;
const timesMs = Float64Array.from({ length: TIMES }, (_, t) => Date.UTC(2015, 0) + STEP_DAYS * t * DAY_MS);
const SPEC = { width: SIDE, height: SIDE, pixelAreaM2: 900, metric: 'ndvi', timesMs };

function wobble(p: number, t: number): number {
  return 0.01 * Math.sin(7 * p + 3 * t);
}

/**
 * What the latest season shows of a forest whose like pixels stay.
 * @param fallOf fall of the looks of this season, by their number; NaN where nothing was seen
 * @param cloudOf fall of a scene before it
 */
function shown(fallOf: (look: number) => number, cloudOf: (scene: number) => number = () => 0) {
  const pixels = Array.from({ length: SIDE * SIDE }, (_, p) => p);
  const values = pixels.map((p) => Float32Array.from(timesMs, (_, t) => LEVEL + wobble(p, t)));
  const judge = new JudgeBaseline(unrankedFrame(SPEC, NDVI.noiseFloor));
  const comparison = new LikeComparison(SPEC, likeBank(SPEC, NDVI, { pixels, values }), judge, NDVI);
  const pending = new PendingObservations(TIMES);
  judge.clear();
  comparison.begin(1e6); // a pixel that is not in the bank
  for (let t = 0; t < TIMES; t++) {
    const fall = t < FROM ? cloudOf(t) : fallOf(t - FROM);
    if (Number.isNaN(fall)) continue;
    const value = LEVEL - fall + wobble(200, t);
    judge.predict(t);
    comparison.look(t, value, t);
    if (t < FROM) judge.add(t, value, Number.NaN);
    else pending.add(t, value, Number.NaN, Number.NaN);
  }
  return comparison.readSeason(TIMES - 1, TIMES - 1, pending) ? comparison.seasonFall() : 'not low';
}

test('the looks of a clear season show a fall, and the first that is half as low dates it', () => {
  const fall = shown((look) => (look < 2 ? 0.01 : 0.1));
  assert.ok(fall !== null && fall !== 'not low');
  assert.ok(Math.abs(fall.size - 0.1 / NDVI.noiseFloor) < 1, `${fall.size} noise floors`);
  assert.equal(fall.onset, FROM + 2);
  assert.ok(fall.chance < 1e-4);
});

test('its chance is larger where earlier years had low looks or few looks are low', () => {
  const often = shown(
    (look) => (look < LOOKS / 2 - 1 ? 0 : 0.1),
    (scene) => (scene % 6 === 0 ? 0.08 : 0),
  );
  assert.ok(often !== null && often !== 'not low' && often.chance > PARAMETERS.seasonChance);
  const seldom = shown((look) => (look < LOOKS / 2 - 1 ? 0 : 0.1));
  assert.ok(seldom !== null && seldom !== 'not low' && seldom.chance < often.chance / 10);
});

test('looks that are not low, a season with clouds in earlier years and few looks show no fall', () => {
  assert.equal(
    shown((look) => (look < 2 ? 0.1 : 0)),
    'not low',
  );
  assert.equal(
    shown(
      () => 0.25,
      (scene) => (scene % 4 === 0 ? 0.3 : 0),
    ),
    null,
  );
  assert.equal(
    shown((look) => (look <= LOOKS - PARAMETERS.seasonLooks + 1 ? Number.NaN : 0.1)),
    null,
  );
  const small = shown((look) => (look < 3 ? 0.1 : 0.02));
  assert.ok(small !== null && small !== 'not low' && small.size === 0);
});

test('a fall is local unless like pixels have risen above what the pixel has been, or others have fallen in many places', () => {
  const side = 40;
  const spec = { ...SPEC, width: side, height: side };
  const isLocal = (ownLevel: number, rise: number, places: number): boolean => {
    const pixels = Array.from({ length: side * side }, (_, p) => p).filter(
      (p) => p % 2 === 0 && Math.floor(p / side) % 2 === 0,
    );
    const corner = (p: number): number =>
      Number(Math.floor(p / side) >= side / 2) + 2 * Number(p % side >= side / 2);
    const isFallen = (p: number): boolean =>
      Math.floor(p / side) % 20 < 6 && p % 20 < 6 && p !== 0 && corner(p) < places;
    const values = pixels.map((p) =>
      Float32Array.from(timesMs, (_, t) => {
        const change = t < FROM ? 0 : isFallen(p) ? -0.3 : rise;
        return LEVEL - 0.2 + change + wobble(p, t);
      }),
    );
    const judge = new JudgeBaseline(unrankedFrame(spec, NDVI.noiseFloor));
    const comparison = new LikeComparison(spec, likeBank(spec, NDVI, { pixels, values }), judge, NDVI);
    judge.clear();
    comparison.begin(1e6);
    for (let t = 0; t < TIMES; t++) {
      const value = t < FROM ? ownLevel + wobble(200, t) : ownLevel - 0.3;
      judge.predict(t);
      comparison.look(t, value, t);
      if (t < FROM) judge.add(t, value, Number.NaN);
    }
    return comparison.isLocalFall(FROM, TIMES - 1);
  };
  assert.equal(isLocal(LEVEL - 0.2, 0, 0), true);
  assert.equal(isLocal(LEVEL - 0.2, 0, 3), true);
  assert.equal(isLocal(LEVEL - 0.2, 0, 4), false);
  assert.equal(isLocal(LEVEL - 0.2, 0.2, 0), false);
});
