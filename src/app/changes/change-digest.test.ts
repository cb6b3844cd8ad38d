import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeRecord } from '../../../test/fixtures/records.ts';
import { byFirstRecipe, changeDigest, rejected } from './change-digest.ts';

const CHANGE = changeRecord('col_1', {
  geometry: {
    type: 'Polygon',
    coordinates: [
      [
        [14, 46],
        [14.01, 46],
        [14.01, 46.01],
        [14, 46.01],
        [14, 46],
      ],
    ],
  },
  confidence: 1e-7,
});
const { digest: _digest, ...MADE } = { ...CHANGE.provenance, software_version: '1.3.0' };

/** Computed by release 1.3.0. */
const BY_RECIPE_1 = '025b27e4be205f097dd11e344cba62636553ad1f3808fcdd48c6e596221ae0e9';
/** Computed in Python with rfc8785 0.1.4 and hashlib. */
const BY_RECIPE_2 = 'c4793c60f8f630b8d03a4b18fbf811c3b4bd68f1710d7b387b2e3a74668a32f6';

test('recipe 1 gives the digest of release 1.3.0, recipe 2 that of another implementation of RFC 8785', () => {
  assert.equal(changeDigest(CHANGE, MADE), BY_RECIPE_1);
  assert.equal(changeDigest(CHANGE, { ...MADE, digest_recipe: 2 }), BY_RECIPE_2);
});

test('a change by recipe 1 has nothing of what later releases added', () => {
  const [scene] = MADE.scenes as [(typeof MADE.scenes)[0]];
  const stated = {
    ...CHANGE,
    provenance: {
      ...MADE,
      scenes: [{ ...scene, reading: null }],
      series: [],
      mask_encodings: {},
      digest_recipe: 2,
      digest: BY_RECIPE_2,
    },
  };
  const { digest, provenance } = byFirstRecipe(stated);
  assert.equal(digest, BY_RECIPE_1);
  assert.deepEqual(provenance, { ...MADE, digest: BY_RECIPE_1 });
});

test('a change that is taken back has a digest by recipe 2, whatever its recipe was', () => {
  const { status, confidence, digest, provenance } = rejected({
    ...CHANGE,
    provenance: { ...MADE, digest: BY_RECIPE_1 },
  });
  assert.deepEqual(
    [status, confidence, provenance.digest_recipe, provenance.digest],
    ['rejected', 0, 2, digest],
  );
  const { digest: _own, ...content } = provenance;
  assert.equal(digest, changeDigest({ ...CHANGE, status: 'rejected', confidence: 0 }, content));
});
