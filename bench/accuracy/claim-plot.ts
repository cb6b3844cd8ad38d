import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MODEL_VERSION } from '../../src/change/parameters.ts';
import { reliabilityPanel } from '../../src/app/changes/backtest/backtest-plot.ts';
import {
  COLOURS,
  panelsSvg,
  type Panel,
  type PanelSeries,
} from '../../src/app/changes/backtest/svg-panels.ts';
import { scoreParts } from '../../src/numerics/accuracy/score-decomposition.ts';
import type { JudgedClaim } from './judged-claims.ts';

const BINS = 10; // points of a panel, one for each tenth of the stated confidence

/** Claims of each tenth of the stated confidence, as a point: mean of what was stated, and share that came true. */
export function reliabilityPoints(
  claims: readonly Pick<JudgedClaim, 'confidence' | 'isTrue'>[],
): (readonly [stated: number, observed: number])[] {
  const bins = Map.groupBy(claims, ({ confidence }) => Math.min(BINS - 1, Math.floor(confidence * BINS)));
  return [...bins]
    .toSorted(([a], [b]) => a - b)
    .map(([, its]) => [
      its.reduce((sum, { confidence }) => sum + confidence, 0) / its.length,
      its.filter(({ isTrue }) => isTrue).length / its.length,
    ]);
}

function panelOf(title: string, claims: readonly JudgedClaim[]): Panel {
  const stated = claims.map(({ confidence }) => confidence);
  const parts = scoreParts(
    stated,
    claims.map(({ isTrue }) => Number(isTrue)),
  );
  const panel = reliabilityPanel(parts, stated, title);
  const dots: PanelSeries = {
    kind: 'points',
    name: 'means of each tenth',
    colour: COLOURS.orange,
    points: reliabilityPoints(claims),
  };
  return { ...panel, series: [...panel.series, dots] };
}

/** Draws docs/methods/change-reliability-real.svg: all claims on labelled ground, those in forest, and the others. */
export function drawReliability(claims: readonly JudgedClaim[]): void {
  const forest = claims.filter(({ ground }) => ground === 'forest');
  const others = claims.filter(({ ground }) => ground !== 'forest');
  const panels = [
    panelOf(`All ${claims.length} claims`, claims),
    panelOf(`${forest.length} claims in forest`, forest),
    panelOf(`${others.length} claims on other ground`, others),
  ];
  writeFileSync(
    join(import.meta.dirname, '../../docs/methods/change-reliability-real.svg'),
    panelsSvg(panels, `Claims on real, labelled ground, ${MODEL_VERSION}`),
  );
}
