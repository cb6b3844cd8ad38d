import { ok } from 'node:assert/strict';
import { test } from 'node:test';
import { merit, type SourceFigures } from './judged-sources.ts';

const GROUND = { ground: 'forest to crops', pa: 0.8, ua: 0.8, lagDays: 100 };
const NONE: SourceFigures = { source: 'a', conversions: [], harmless: [], everConfirmed: null };

function near(figures: Partial<SourceFigures>, expected: number): void {
  const found = merit({ ...NONE, ...figures });
  ok(Math.abs(found - expected) < 1e-12, `${found} instead of ${expected}`);
}

test('the merit is the mean F1 less a tenth for 100 days of lag', () => {
  near({ conversions: [GROUND] }, 0.7);
  near({ conversions: [GROUND, { ...GROUND, pa: 0.4, lagDays: 200 }] }, (0.7 + (0.64 / 1.2 - 0.2)) / 2);
  near({ conversions: [{ ...GROUND, pa: 0, ua: 0, lagDays: 365 }] }, -0.365);
});

test('harmless series and Kafa cost merit beyond their bounds alone', () => {
  near({ harmless: [{ what: 'floods that drain', confirmed: 1 }] }, 0);
  near({ harmless: [{ what: 'floods that drain', confirmed: 1.5 }] }, -0.05);
  near({ harmless: [{ what: 'coppice that grows again', confirmed: 3 }] }, 0);
  near({ harmless: [{ what: 'coppice that grows again', confirmed: 4 }] }, -0.1);
  near({ everConfirmed: 20 }, 0);
  near({ everConfirmed: 22 }, -0.1);
});
