import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fitDisplacement } from './displacement-series.ts';
import { subsidenceModel } from './subsidence.ts';

const DATA = join(import.meta.dirname, '../../../../shared/data');
const absent = existsSync(DATA) ? false : `${DATA} is absent`;

const LAYERS = [
  'velocity-gradient',
  'displacement-velocity',
  'velocity-error',
  'displacement-acceleration',
  'soil-clay',
  'subsiding-share',
  'subsiding-speed',
] as const;
type Layer = (typeof LAYERS)[number];

const META = { version: 'v1', unit: '', returnPeriodYears: null, resolutionM: 90 };
const CARDS = LAYERS.map((layer) => ({
  ...META,
  layer,
  date: '2026-01-01',
  licence: 'test',
  source: 'test',
}));
const MODEL = subsidenceModel.prepare(CARDS);

const readingsOf = (said: Readonly<Partial<Record<Layer, number>>>) =>
  LAYERS.map((layer) =>
    said[layer] === undefined
      ? { ok: false as const, reason: 'nodata' as const }
      : { ok: true as const, value: said[layer] },
  );
const at = (said: Readonly<Partial<Record<Layer, number>>>) => MODEL.assess(readingsOf(said), 45, 7);
const explained = (said: Readonly<Partial<Record<Layer, number>>>) => MODEL.explain(readingsOf(said), 45, 7);

test('the score never falls with a gradient, a velocity, an acceleration or clay, and is the same for both signs', () => {
  const settings: readonly Readonly<Partial<Record<Layer, number>>>[] = [
    {},
    { 'velocity-error': 0.3 },
    { 'velocity-error': 6, 'soil-clay': 20 },
    { 'displacement-velocity': 12, 'velocity-error': 1, 'displacement-acceleration': 2 },
    { 'velocity-gradient': 0.05, 'displacement-velocity': 3, 'soil-clay': 50 },
  ];
  const ladders = {
    'velocity-gradient': [0, 0.002, 0.01, 0.03, 0.0667, 0.2, 1, 50],
    'displacement-velocity': [0, 0.5, 1, 2, 3, 5, 8, 13, 20, 50, 300, 4000],
    'displacement-acceleration': [0, 0.3, 0.8, 1.5, 3, 8, 40],
    'soil-clay': [0, 10, 18, 30, 35, 36, 60, 100],
  } as const;
  for (const setting of settings) {
    for (const [layer, ladder] of Object.entries(ladders)) {
      let last = -1;
      for (const value of ladder) {
        const { riskScore, confidence } = at({ ...setting, [layer]: value });
        assert.ok(
          riskScore >= last,
          `${layer} ${value} on ${JSON.stringify(setting)}: ${riskScore} < ${last}`,
        );
        assert.ok(confidence > 0 && confidence <= 1);
        if (layer !== 'soil-clay') assert.equal(at({ ...setting, [layer]: -value }).riskScore, riskScore);
        last = riskScore;
      }
    }
  }
});

test('stable ground has a low score, ground at the limits of distortion does not', () => {
  assert.ok(at({ 'displacement-velocity': 0, 'velocity-error': 0.5 }).riskScore < 0.2);
  assert.ok(at({ 'velocity-gradient': 1 }).riskScore > 0.6);
  assert.ok(at({ 'displacement-velocity': -60, 'velocity-error': 1 }).riskScore > 0.6);
});

test('a velocity within its error is not a hazard, and the answer says so; the same velocity with a small error is one', () => {
  const noisy = explained({ 'displacement-velocity': -8, 'velocity-error': 5 });
  const sure = explained({ 'displacement-velocity': -8, 'velocity-error': 0.5 });
  assert.ok(noisy.riskScore < 0.2 && sure.riskScore > 0.25, `${noisy.riskScore}, ${sure.riskScore}`);
  assert.ok(noisy.reasons.some(({ message }) => message.includes('does not stand out of its error')));
  assert.ok(!sure.reasons.some(({ message }) => message.includes('does not stand out')));
});

test('a larger error widens the interval of the distortion', () => {
  const width = (error: number): number => {
    const [point] = explained({ 'displacement-velocity': 25, 'velocity-error': error }).hazardCurve;
    return point!.high / point!.low;
  };
  assert.ok(width(0.5) < width(4) && width(4) < width(8), `${width(0.5)}, ${width(4)}, ${width(8)}`);
});

test('every missing layer is named in the reasons', () => {
  const { reasons } = explained({ 'displacement-velocity': 5 });
  for (const layer of LAYERS) {
    // The speed of moving ground is only used where nothing was measured.
    if (layer === 'displacement-velocity' || layer === 'subsiding-speed') continue;
    assert.ok(
      reasons.some(({ code, message }) => code === 'nodata' && message.includes(layer)),
      layer,
    );
  }
  assert.deepEqual(
    explained({
      'velocity-gradient': 0.2,
      'displacement-velocity': -30,
      'velocity-error': 1,
      'displacement-acceleration': 0,
      'soil-clay': 20,
      'subsiding-share': 0.1,
    }).reasons,
    [],
  );
});

test('without displacement the answer is by soil, higher above 35 % clay; without anything it is the prior with confidence 0', () => {
  const sand = at({ 'soil-clay': 10 });
  const clay = at({ 'soil-clay': 45 });
  assert.ok(sand.riskScore < clay.riskScore - 0.05 && clay.riskScore > 0.25 && sand.confidence > 0);
  assert.ok(explained({ 'soil-clay': 45 }).reasons.some(({ code }) => code === 'prior'));
  const { riskScore, confidence, reasons } = explained({});
  assert.deepEqual([riskScore, confidence, reasons[0]!.code], [0.2, 0, 'nodata']);
  // Each reason says something else.
  const messages = explained({}).reasons.map(({ message }) => message);
  assert.equal(new Set(messages).size, messages.length, messages.join('; '));
});

test('the score grows with the share of moving ground and with its speed, in small steps', () => {
  let last = 0;
  for (let share = 0.01; share < 0.6; share += 0.01) {
    const { riskScore } = at({ 'subsiding-share': share, 'subsiding-speed': 15 });
    assert.ok(
      riskScore > last && (last === 0 || riskScore - last < 0.06),
      `${share}: ${last} to ${riskScore}`,
    );
    last = riskScore;
  }
  for (let speed = 16; speed < 140; speed += 4) {
    const { riskScore } = at({ 'subsiding-share': 0.45, 'subsiding-speed': speed });
    assert.ok(riskScore >= last - 0.15 && riskScore <= 0.69, `${speed}: ${riskScore}`);
  }
  const slow = at({ 'subsiding-share': 0.45, 'subsiding-speed': 15 });
  assert.ok(at({ 'subsiding-share': 0.45, 'subsiding-speed': 130 }).riskScore > slow.riskScore + 0.05);
});

test('a share of moving ground adds doubt to a soil map, and decides what a weak velocity means', () => {
  const soil = at({ 'soil-clay': 45, 'subsiding-share': 0.01 });
  const bowl = at({ 'soil-clay': 45, 'subsiding-share': 0.45, 'subsiding-speed': 40 });
  assert.ok(bowl.confidence < soil.confidence - 0.2, `${bowl.confidence} and ${soil.confidence}`);
  const weak = { 'displacement-velocity': 4, 'velocity-error': 2 };
  assert.ok(
    at({ ...weak, 'subsiding-share': 0.45 }).riskScore > at({ ...weak, 'subsiding-share': 0.01 }).riskScore,
  );
  const surveyed = { 'displacement-velocity': 0.2, 'velocity-error': 0.3 };
  const [rock, delta] = [0.01, 0.45].map((share) => at({ ...surveyed, 'subsiding-share': share }).riskScore);
  assert.ok(Math.abs(rock! - delta!) < 0.02, 'a precise survey of still ground leaves the prior behind');
});

test(
  'every Alpine GNSS station has a low score: none moves faster than 2.8 mm/yr (Sanchez et al. 2018)',
  { skip: absent },
  () => {
    const text = readFileSync(join(DATA, 'alps-gnss-velocity/velocity.csv'), 'utf8');
    const [header, ...lines] = text.trim().split('\n');
    const columns = header!.split(',');
    const up = columns.indexOf('velocity_up_mmyr');
    const error = columns.indexOf('velocity_up_error_mmyr');
    assert.ok(lines.length > 50);
    for (const line of lines) {
      const fields = line.split(',');
      const { riskScore } = at({
        'displacement-velocity': Number(fields[up]),
        'velocity-error': Number(fields[error]),
      });
      assert.ok(riskScore < 0.2, `${fields[0]}: ${riskScore}`);
    }
  },
);

test(
  'the fitted EGMS point on Faial has a low score: 0.9 mm/yr is within the range of stable ground (Copernicus)',
  { skip: absent },
  () => {
    const text = readFileSync(join(DATA, 'egms-azores-point/egms_point.csv'), 'utf8');
    const series = text
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split(','));
    const { velocity, acceleration } = fitDisplacement({
      timesMs: series.map((row) => Date.parse(row[2]!)),
      displacementsMm: series.map((row) => Number(row[3])),
    });
    const { riskScore } = at({
      'displacement-velocity': velocity.value,
      'velocity-error': velocity.error,
      'displacement-acceleration': acceleration!.value,
    });
    assert.ok(riskScore < 0.2, `${riskScore}`);
  },
);
