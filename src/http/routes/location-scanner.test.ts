import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PERILS } from '../../contract/vocabulary.ts';
import { assessRiskBatch, type Location } from '../../contract/risk.ts';
import { placesOf, scanPlaces } from './location-scanner.ts';
import { schemaChecker } from '../validation.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const batch = (...items: readonly string[]) => `{"locations":[${items.join(',')}]}`;
const check = schemaChecker(assessRiskBatch.body, 'The body', 'field');

/** Parses a body with JSON.parse and checks it against the schema; undefined when the body is refused. */
function parsed(text: string) {
  let body: { readonly locations: readonly Location[] };
  try {
    body = JSON.parse(text) as typeof body;
  } catch {
    return undefined;
  }
  return check(body).length === 0 ? placesOf(body.locations) : undefined;
}

/** Returns whether the scanner reads a body. Asserts that the result is the same as from JSON.parse and the schema. */
function agrees(text: string): boolean {
  const scanned = scanPlaces(bytesOf(text));
  if (scanned === undefined) return false;
  const { perils, lats, lngs } = scanned;
  assert.deepEqual({ perils, lats, lngs }, parsed(text), text);
  return true;
}

test('a plain body gives the same numbers as JSON.parse, to the last bit', () => {
  for (const number of [
    '0',
    '-0',
    '52.37403',
    '-0.1',
    '12.345678901234567890123',
    '0.000000000000000000001',
    '5e-7',
    '1E1',
    '2.5e+1',
    '8.9999999999999999',
    '90',
    '-90',
    '4.35',
    '0.30000000000000004',
    '33.333333333333336',
    '1e-400',
  ])
    for (const peril of PERILS)
      assert.ok(agrees(batch(`{"lat":${number},"lng":${number},"peril":"${peril}"}`)), number);
});

test('white space and the order of members do not matter', () => {
  assert.ok(
    agrees(
      '\n{ "locations" :\t[ { "peril" : "storm" , "lng" : 1.5 , "lat" : 2 } ,\r\n{"lng":3,"lat":4,"peril":"flood"} ] } ',
    ),
  );
});

test('random numbers of up to 17 digits are parsed exactly', () => {
  let state = 1;
  const random = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  for (let i = 0; i < 2000; i++) {
    const lat = (random() * 180 - 90).toFixed(i % 18);
    const lng = (random() * 360 - 180).toPrecision(3 + (i % 15));
    assert.ok(agrees(batch(`{"lat":${lat},"lng":${lng},"peril":"flood"}`)), `${lat} ${lng}`);
  }
});

test('a body that is not plain or not valid is left to JSON.parse and the schema', () => {
  const good = '{"lat":1,"lng":2,"peril":"flood"}';
  const wrong = [
    '',
    '{}',
    '[]',
    '{"locations":[]}',
    `${batch(good)}x`,
    `${batch(good)},`,
    batch(good).slice(0, -1),
    batch(`${good},`),
    batch(good, good).replace('},{', '}{'),
    `{"locations":[${good}],"more":1}`,
    `{"locations":[${good}],"locations":[${good}]}`,
    batch(...Array.from({ length: 1001 }, () => good)),
    ...[
      '01',
      '1.',
      '.5',
      '+1',
      '1e',
      '1e+',
      '--1',
      '-',
      'NaN',
      'Infinity',
      '0x10',
      '"1"',
      'null',
      'true',
      '',
      '91',
      '-90.0000001',
      '1e2',
      '1e999',
      '1_0',
    ].map((lat) => batch(`{"lat":${lat},"lng":2,"peril":"flood"}`)),
    batch('{"lat":1,"lng":180.5,"peril":"flood"}'),
    ...['"fire"', '"floods"', '"Flood"', '"flood', 'flood', '1', 'null'].map((peril) =>
      batch(`{"lat":1,"lng":2,"peril":${peril}}`),
    ),
    batch('{"lat":1,"lng":2}'),
    batch('{"lat":1,"lng":2,"peril":"flood","name":"x"}'),
    batch('{"lat":1 "lng":2,"peril":"flood"}'),
    batch('{"lat":1,"lng":2,"peril":"flood",}'),
    batch('{"lat":1,\u00a0"lng":2,"peril":"flood"}'),
    batch('{"lat":1,\f"lng":2,"peril":"flood"}'),
  ];
  for (const text of wrong) {
    assert.equal(scanPlaces(bytesOf(text)), undefined, text.slice(0, 80));
    const isLastMember = text.includes(',"locations":[');
    assert.equal(parsed(text) === undefined, !isLastMember, text.slice(0, 80));
  }
  // These forms are valid but rare. The scanner does not read them, but JSON.parse and the schema do.
  for (const text of [
    batch('{"lat":1,"lat":2,"lng":2,"peril":"flood"}'),
    batch(good.replace('lat', '\\u006cat')),
  ]) {
    assert.equal(scanPlaces(bytesOf(text)), undefined);
    assert.notEqual(parsed(text), undefined);
  }
});

test('a body that is truncated anywhere is not accepted', () => {
  const text = batch('{"lat":1.25,"lng":-2e1,"peril":"subsidence"}', '{"lat":1,"lng":2,"peril":"storm"}');
  assert.ok(agrees(text));
  for (let end = 0; end < text.length; end++)
    assert.equal(scanPlaces(bytesOf(text.slice(0, end))), undefined, text.slice(0, end));
});
