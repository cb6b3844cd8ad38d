import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../../base/time.ts';
import { NO_CHANGE, type BacktestLabel } from './labels.ts';
import {
  ChangeMap,
  labelOutcome,
  missReason,
  type LabelOutcome,
  type ReplayedChange,
} from './label-outcome.ts';
import { panelsSvg } from './svg-panels.ts';
import { accuracyReport, ANY_CHANGE } from './accuracy-report.ts';

const GRACE_MS = 60 * DAY_MS;

function change(
  first: string,
  detected: string,
  pixels: readonly number[],
  more: Partial<ReplayedChange> = {},
) {
  return {
    type: 'vegetation_loss' as const,
    status: 'confirmed' as const,
    pixels: Uint32Array.from(pixels),
    firstAnomalyMs: Date.parse(first),
    detectedMs: Date.parse(detected),
    confirmedMs: Date.parse(detected),
    recoveredMs: null,
    confidence: 0.9,
    ...more,
  };
}

function label(kind: string, from: string | null, to: string | null): BacktestLabel {
  return {
    id: 'x',
    place: { kind: 'point', position: [0, 0] },
    fromMs: from === null ? null : Date.parse(from),
    toMs: to === null ? null : Date.parse(to),
    label: kind,
  };
}

/** An outcome without a claim, with changes. */
function outcome(of: BacktestLabel, more: Partial<LabelOutcome> = {}): LabelOutcome {
  return {
    label: of,
    mapped: NO_CHANGE,
    probability: 0,
    lagMs: null,
    firstAnomalyLagMs: null,
    withdrawn: null,
    isOutsideWindow: false,
    ...more,
  };
}

test('a change counts for a label when it covers the place and began in the window or the grace period', () => {
  const map = new ChangeMap([change('2020-06-01', '2020-09-01', [1, 2, 3])]);
  const mapped = (pixels: readonly number[], from: string | null, to: string | null): string =>
    labelOutcome(label('vegetation_loss', from, to), pixels, map, GRACE_MS).mapped;
  assert.equal(mapped([2], '2020-05-01', '2020-05-10'), 'vegetation_loss'); // the change began 22 days after the window
  assert.equal(mapped([2], '2020-01-01', '2020-03-01'), NO_CHANGE); // the change began 92 days after the window
  assert.equal(mapped([2], '2020-07-15', null), 'vegetation_loss'); // the change began 44 days before the window
  assert.equal(mapped([2], '2020-09-01', null), NO_CHANGE);
  assert.equal(mapped([4], null, null), NO_CHANGE);
  assert.equal(mapped([2, 3, 4, 5], null, null), 'vegetation_loss'); // the change covers half of the place
  assert.equal(mapped([3, 4, 5], null, null), NO_CHANGE);
});

test('the lag runs from the start of the window to the detection; a false detection has no lag', () => {
  const map = new ChangeMap([change('2020-06-01', '2020-09-01', [1])]);
  const { lagMs, firstAnomalyLagMs } = labelOutcome(label('burn', '2020-05-23', null), [1], map, 0);
  assert.deepEqual([lagMs, firstAnomalyLagMs], [101 * DAY_MS, 9 * DAY_MS]);
  assert.equal(labelOutcome(label('burn', null, null), [1], map, 0).lagMs, null);
  assert.equal(labelOutcome(label(NO_CHANGE, '2020-05-23', null), [1], map, 0).lagMs, null);
});

test('a suspected change gives a probability but is not mapped; a rejected one is ignored; the labelled type is preferred', () => {
  const suspected = change('2020-01-01', '2020-02-01', [1], {
    status: 'suspected',
    confirmedMs: null,
    confidence: 0.6,
  });
  const outcome = labelOutcome(label('burn', null, null), [1], new ChangeMap([suspected]), 0);
  assert.deepEqual([outcome.mapped, outcome.probability], [NO_CHANGE, 0.6]);
  const rejected = change('2020-01-01', '2020-02-01', [1], { status: 'rejected' });
  assert.equal(labelOutcome(label('burn', null, null), [1], new ChangeMap([rejected]), 0).probability, 0);
  const two = new ChangeMap([
    change('2020-01-01', '2020-02-01', [1]),
    change('2021-01-01', '2021-02-01', [1], { type: 'vegetation_gain' }),
  ]);
  assert.equal(labelOutcome(label('vegetation_gain', null, null), [1], two, 0).mapped, 'vegetation_gain');
  assert.equal(labelOutcome(label(NO_CHANGE, null, null), [1], two, 0).mapped, 'vegetation_loss');
});

test('a change that was confirmed and then recovered is withdrawn: it is missed, with a probability of 0', () => {
  const recovered = change('2020-06-01', '2020-09-01', [1], {
    status: 'recovered',
    recoveredMs: Date.parse('2021-03-01'),
  });
  const burn = label('burn', '2020-05-23', null);
  assert.deepEqual(
    labelOutcome(burn, [1], new ChangeMap([recovered]), 0),
    outcome(burn, {
      withdrawn: { detectedMs: Date.parse('2020-09-01'), recoveredMs: Date.parse('2021-03-01') },
    }),
  );
  // A later suspicion is stated, but does not replace the claim that was withdrawn.
  const suspected = change('2021-06-01', '2021-07-01', [1], { status: 'suspected', confidence: 0.4 });
  const open = labelOutcome(burn, [1], new ChangeMap([recovered, suspected]), 0);
  assert.deepEqual([open.mapped, open.probability, open.withdrawn === null], [NO_CHANGE, 0.4, false]);
  // A change that stands counts even if it began after the one that recovered.
  const standing = change('2021-06-01', '2021-07-01', [1]);
  const found = labelOutcome(burn, [1], new ChangeMap([recovered, standing]), 0);
  assert.deepEqual([found.mapped, found.probability, found.withdrawn], ['vegetation_loss', 0.9, null]);
  assert.equal(found.lagMs, Date.parse('2021-07-01') - Date.parse('2020-05-23'));
});

test('a missed change is explained: recovered, only suspected, begun outside the window, or never claimed', () => {
  const burn = label('burn', '2020-05-23', '2020-08-01');
  const reason = (...changes: ReplayedChange[]) =>
    missReason(labelOutcome(burn, [1], new ChangeMap(changes), GRACE_MS));
  const recovered = change('2020-06-01', '2020-09-01', [1], { status: 'recovered', recoveredMs: 0 });
  const suspected = change('2020-06-01', '2020-09-01', [1], { status: 'suspected', confidence: 0.4 });
  const later = change('2021-06-01', '2021-09-01', [1]);
  assert.equal(reason(recovered, suspected, later), 'recovered');
  assert.equal(reason(suspected, later), 'suspected');
  assert.equal(reason(later), 'outside_window');
  assert.equal(reason(change('2020-06-01', '2020-09-01', [2])), 'unclaimed');
  assert.equal(reason(later, change('2020-06-01', '2020-09-01', [1])), null);
  assert.equal(missReason(outcome(label(NO_CHANGE, null, null))), null);
});

test('accuracies equal those of Olofsson et al. 2014, table 8', () => {
  const outcomes = (mapped: string, reference: string, count: number) =>
    Array.from({ length: count }, () =>
      outcome(label(reference, null, null), { mapped, probability: mapped === NO_CHANGE ? 0 : 1 }),
    );
  const report = accuracyReport(
    [
      ...outcomes('vegetation_loss', 'vegetation_loss', 66),
      ...outcomes('vegetation_loss', NO_CHANGE, 9),
      ...outcomes('vegetation_gain', 'vegetation_gain', 55),
      ...outcomes('vegetation_gain', NO_CHANGE, 20),
      ...outcomes(NO_CHANGE, NO_CHANGE, 50),
    ],
    new Map([
      ['vegetation_loss', 200],
      ['vegetation_gain', 150],
      ['burn', 10],
      [NO_CHANGE, 9650],
    ]),
  );
  const loss = report.classes.find((each) => each.label === 'vegetation_loss')!;
  const gain = report.classes.find((each) => each.label === 'vegetation_gain')!;
  assert.equal(loss.users.value!.toFixed(2), '0.88');
  assert.equal(gain.users.value!.toFixed(2), '0.73');
  assert.deepEqual([loss.mapped, loss.labelled, loss.right], [75, 66, 66]);
  const any = report.classes[0]!;
  assert.equal(any.label, ANY_CHANGE);
  // Weighted by area: 66/75 of 200 m2 and 55/75 of 150 m2 are right, together 286 of 350 m2.
  assert.ok(Math.abs(any.users.value! - 286 / 350) < 1e-12);
  assert.deepEqual(report.unlabelled, ['burn']);
  assert.ok(Math.abs(report.brier.score - 29 / 200) < 1e-12);
});

test('lags: mean and median cover detected changes; the detection curve also counts missed changes', () => {
  const burn = label('burn', '2020-01-01', null);
  const found = [-5, 10, 20, 60].map((days) =>
    outcome(burn, {
      mapped: 'burn',
      probability: 1,
      lagMs: days * DAY_MS,
      firstAnomalyLagMs: (days - 8) * DAY_MS,
    }),
  );
  const withdrawn = { detectedMs: 1, recoveredMs: 2 };
  const report = accuracyReport(
    [...found, outcome(burn, { withdrawn }), outcome(label(NO_CHANGE, null, null), { withdrawn })],
    new Map([
      ['burn', 1],
      [NO_CHANGE, 1],
    ]),
  );
  // A detection five days before the start counts as a lag of 0.
  assert.deepEqual(report.lag, { count: 4, meanDays: 22.5, medianDays: 15, firstAnomalyMedianDays: 7 });
  assert.deepEqual([report.lagsDays, report.datedChanges], [[0, 10, 20, 60], 5]);
  assert.deepEqual(report.withdrawals, { changed: 1, unchanged: 1 });
});

test('a plot is well-formed XML: names are escaped and all points are inside', () => {
  const svg = panelsSvg(
    [
      {
        title: 'a < b & "c"',
        xLabel: 'x',
        yLabel: 'y',
        xMax: 10,
        yMax: 1,
        series: [
          {
            kind: 'step',
            name: 's',
            colour: '#000',
            points: [
              [0, 0],
              [10, 1],
            ],
          },
          { kind: 'bars', name: '', colour: '#000', points: [[5, 0.5]] },
          { kind: 'points', name: '', colour: '#000', points: [[5, 0.5]] },
        ],
      },
    ],
    'caption',
  );
  assert.match(svg, /a &lt; b &amp; &quot;c&quot;/);
  assert.doesNotMatch(svg, /NaN|undefined/);
  assert.match(svg, /<path d="M58 288H384V40" fill="none"/);
  assert.equal(svg.match(/<g /g)?.length, svg.match(/<\/g>/g)?.length);
});
