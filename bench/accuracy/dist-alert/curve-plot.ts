import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COLOURS, panelsSvg, type Panel } from '../../../src/app/changes/backtest/svg-panels.ts';
import { MODEL_VERSION } from '../../../src/change/parameters.ts';
import type { AlertAccuracy } from './alerts.ts';

const LAG_AXIS_DAYS = 120;

/**
 * Plots user's accuracy and lag against producer's accuracy. Our alerts are shown as curves over all thresholds, the
 * alerts by DIST-ALERT's own statuses as points.
 */
export function drawCurve(
  name: string,
  curve: readonly { readonly found: AlertAccuracy }[],
  theirs: readonly (readonly [name: string, found: AlertAccuracy, colour: string])[],
): void {
  const panel = (
    title: string,
    yLabel: string,
    yMax: number,
    y: (found: AlertAccuracy) => number,
  ): Panel => ({
    title,
    xLabel: "producer's accuracy, by area",
    yLabel,
    xMax: 1,
    yMax,
    series: [
      {
        kind: 'line',
        name: 'ours, by threshold',
        colour: COLOURS.blue,
        points: curve.map(({ found }) => [found.producers, y(found)] as const),
      },
      ...theirs.map(([status, found, colour]) => ({
        kind: 'points' as const,
        name: status,
        colour,
        points: [[found.producers, y(found)] as const],
      })),
    ],
  });
  writeFileSync(
    join(import.meta.dirname, '../../../docs/methods/change-dist-alert.svg'),
    panelsSvg(
      [
        panel('Right alerts', "user's accuracy, by area", 1, ({ users }) => users),
        panel('Lag', 'mean days to the first right alert', LAG_AXIS_DAYS, ({ lagDays }) => lagDays),
      ],
      `${name} on the validation sample of DIST-ALERT, thresholds .02 to .98, ${MODEL_VERSION}`,
    ),
  );
}
