// Tests that scripts/try-recipes.ts runs in its copy of the project, which has a throwaway peril, operation and sensor.
// They fail in the project itself.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSceneFileName } from '../../src/sources/imagery/scene-file-name.ts';
import { contractWorld } from '../../test/contract/world.ts';

test('the peril answers, and its card says that it is not calibrated', async () => {
  const { service, key } = await contractWorld();
  const risk = await service.call('/v1/risk?lat=46&lng=14&peril=heat&explain=true', { key });
  assert.equal(risk.status, 200, risk.text);
  assert.equal(risk.json()['confidence'], 0);
  const models = await service.call('/v1/models', { key });
  assert.equal(models.status, 200, models.text);
  const cards = models.json()['models'] as {
    readonly peril: string;
    readonly calibration: { status: string };
  }[];
  assert.equal(cards.find(({ peril }) => peril === 'heat')?.calibration.status, 'uncalibrated');
});

test('the operation answers, and is in the document that the service serves', async () => {
  const { service, key } = await contractWorld();
  const answer = await service.call('/v1/read-tides?name=world', { key });
  assert.deepEqual(answer.json(), { greeting: 'hello, world', has_areas: true });
  const document = await service.call('/openapi.json', {});
  assert.match(document.text, /"operationId": ?"readTides"/);
});

test('the files of the sensor are understood', () => {
  const found = readSceneFileName('PLANETX_044034_20260715_B3.TIF');
  assert.equal(found?.part.kind === 'band' ? found.part.band : undefined, 'nir');
});
