import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COARSE_LOG_SPREAD, heightDraw, valleyFloorShare } from './flood-ground.ts';
import { bankfullDepthM, bankfullDischargeM3s, waterLevels } from './flood-water.ts';

function near(actual: number, expected: number, tolerance: number): void {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual}, expected ${expected} within ${tolerance}`);
}

test('bankfull depth follows equation 2 of Andreadis, Schumann & Pavelsky (2013): 0.27 Q^0.30, worked by hand', () => {
  // 10^0.9 = 7.943282347, 600^0.3 = e^(0.3 * 6.396929655) = 6.814679
  near(bankfullDepthM(1000), 0.27 * 7.943282347, 1e-9);
  near(bankfullDepthM(1), 0.27, 1e-15);
  near(bankfullDepthM(600), 1.839963, 1e-6);
});

test('the stage above the bank follows Manning for a wide channel: depth rises with discharge to the power of 0.6', () => {
  // A Gumbel distribution with a coefficient of variation of .52 (Lun et al. 2021): Q100 = 1 + .52 (4.600149 - .577216) /
  // 1.282550 = 2.631068, Q2 = 1 + .52 (.366513 - .577216) / 1.282550 = .914572 of the mean; their ratio is 2.876829, and
  // 2.876829^.6 = e^(.6 * 1.056689) = 1.885161; half of the rise above 1.
  near(waterLevels([100]).stageRatio[0]!, 0.5 * (1.885161 - 1), 1e-6);
  assert.equal(waterLevels([2]).stageRatio[0], 0);
});

test('prior sea levels lie in the range mapped by Muis et al. (2016, figure 4): 1 to 5 m at 100 years', () => {
  // Gumbel: -ln(-ln(0.9)) = 2.250367327, -ln(-ln(0.99)) = 4.600149227
  const [at10, at100] = waterLevels([10, 100]).seaM;
  near(at10!, 0.93 + 0.3 * 2.250367327, 1e-9);
  near(at100!, 0.93 + 0.3 * 4.600149227, 1e-9);
  assert.ok(at100! > 1 && at100! < 5);
});

test('levels rise with the return period, discharge with the area', () => {
  const { seaM, stageRatio } = waterLevels([1, 2, 5, 10, 50, 100, 500]);
  for (let i = 1; i < seaM.length; i++) {
    assert.ok(seaM[i]! > seaM[i - 1]!);
    assert.ok(stageRatio[i]! >= stageRatio[i - 1]!);
  }
  for (let area = 1; area < 1e6; area *= 3)
    assert.ok(bankfullDischargeM3s(3 * area) > bankfullDischargeM3s(area));
});

test('drawn heights rise with the mapped height for every draw, also through zero; the share on the valley floor falls', () => {
  for (const z of [-2, -1, 0, 1, 2]) {
    const spread = Math.exp(COARSE_LOG_SPREAD * z);
    for (let height = -5; height < 20; height += 0.1)
      assert.ok(heightDraw(height + 0.1, spread) > heightDraw(height, spread));
  }
  for (const cellM of [30, 90, 270])
    for (let hand = 0; hand < 20; hand += 0.5)
      assert.ok(valleyFloorShare(hand + 0.5, cellM) < valleyFloorShare(hand, cellM));
  assert.ok(valleyFloorShare(3, 270) > valleyFloorShare(3, 30), 'large cells hold more of the floor');
});
