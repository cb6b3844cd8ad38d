import assert from 'node:assert/strict';
import { test } from 'node:test';
import { confidenceText, experienceOf, experienceText } from './experience.ts';

const COLLECTION = { id: 'col_1', name: 'slovenia', metric: 'ndvi' };
const LOSSES = {
  collection: COLLECTION,
  type: 'vegetation_loss',
  baseline: 'harmonic',
  claims: 40,
  stood: 31,
  passed: 5,
  taken_back: 1,
  young: 3,
};

test('what came of claims is said in words, without the numbers that are 0', () => {
  assert.equal(
    experienceText(LOSSES),
    'Of 40 such claims here 31 stood, 5 passed, 1 was taken back and 3 are too young to tell',
  );
  const first = { ...LOSSES, claims: 1, stood: 0, passed: 0, taken_back: 0, young: 1 };
  assert.equal(experienceText(first), 'The only such claim here is too young to tell');
  assert.equal(experienceText({ ...first, stood: 1, young: 0 }), 'The only such claim here stood');
  assert.equal(
    experienceText({ ...first, taken_back: 1, young: 0 }),
    'The only such claim here was taken back',
  );
  const stood = { ...LOSSES, claims: 1200, stood: 1200, passed: 0, taken_back: 0, young: 0 };
  assert.equal(experienceText(stood), 'Of 1,200 such claims here 1,200 stood');
});

test('claims are like a change if collection, type and kind of baseline are the same', () => {
  const change = (id: string, type: string, kind: string) =>
    ({ type, provenance: { collection: { ...COLLECTION, id }, baseline: { kind } } }) as never;
  const short = { ...LOSSES, baseline: 'neighbourhood' };
  const all = [short, LOSSES];
  assert.equal(experienceOf(change('col_1', 'vegetation_loss', 'harmonic'), all), LOSSES);
  assert.equal(experienceOf(change('col_1', 'vegetation_loss', 'neighbourhood'), all), short);
  assert.equal(experienceOf(change('col_2', 'vegetation_loss', 'harmonic'), all), undefined);
  assert.equal(experienceOf(change('col_1', 'burn', 'harmonic'), all), undefined);
});

test('a confidence that older claims moved is said with that of the model', () => {
  const experience = { model_confidence: 0.95, claims: 40, stood: 31, stated: 0.95, shift: -1.84, weight: 1 };
  const said = (of?: typeof experience): string =>
    confidenceText({ confidence: 0.75, provenance: of === undefined ? {} : { experience: of } } as never);
  assert.equal(said(), '75 % that it is real and lasting');
  assert.equal(
    said(experience),
    '75 % that it is real and lasting (95 % by the model alone; 31 of 40 older claims stood)',
  );
  assert.match(said({ ...experience, claims: 1, stood: 0 }), /0 of 1 older claim stood/);
});
