import { deepEqual, equal, notDeepEqual, ok, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { PARAMETERS } from '../../../src/change/parameters.ts';
import { Random } from '../../calibration/simulated-case.ts';
import { drawConstants, shippedConstants, withConstants } from './drawn-constants.ts';

test('a seed draws the same constants again, and none is far from the release', () => {
  const drawn = drawConstants(new Random(3));
  deepEqual(drawConstants(new Random(3)), drawn);
  notDeepEqual(drawConstants(new Random(4)), drawn);
  const shipped = shippedConstants();
  deepEqual(Object.keys(drawn), Object.keys(shipped));
  const moved = Object.keys(drawn).filter((name) => drawn[name] !== shipped[name]).length;
  ok(moved >= 1 && moved <= 14, `${moved} of ${Object.keys(drawn).length} are moved`);
  for (const [name, value] of Object.entries(drawn)) {
    const ratio = value / shipped[name]!;
    ok(ratio >= 0.55 && ratio <= 1.65, `${name}: ${value} beside ${shipped[name]}`);
  }
});

test('drawn constants hold while something runs, and those of the release after it, whatever happens', () => {
  const before = structuredClone(PARAMETERS);
  const seen = withConstants({ plainCusum: 5.5, 'confirmAfterMs.likes': 7 }, () => [
    PARAMETERS.plainCusum,
    PARAMETERS.confirmAfterMs.likes,
  ]);
  deepEqual(seen, [5.5, 7]);
  throws(
    () =>
      withConstants({ jointPixels: 9 }, () => {
        equal(PARAMETERS.jointPixels, 9);
        throw new Error('the trial failed');
      }),
    /the trial failed/,
  );
  deepEqual(PARAMETERS, before);
});

test('a constant that the monitor does not have is refused by name', () => {
  throws(
    () => withConstants({ 'confirmAfterMs.moon': 1 }, () => null),
    /confirmAfterMs\.moon is no constant/,
  );
});
