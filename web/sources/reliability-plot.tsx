import type { Models } from '../../src/client/index.ts';
import { number, percent, whole } from '../format.ts';

type Check = Models['models'][number]['calibration']['checks'][number];

/** Side of the square of a plot, and its margins for the labels [px]. */
const [SIDE, LEFT, BOTTOM, TOP] = [120, 34, 30, 6];
const TICKS = [0, 0.5, 1];

/**
 * The reliability of the confidences for one kind of evidence: which share of the answers held (up) at each confidence
 * that the model itself stated (across), before the correction. The corrected confidences lie on the diagonal, but for
 * the error that is given below.
 */
export function ReliabilityPlot({ check }: { readonly check: Check }) {
  const x = (stated: number): number => LEFT + stated * SIDE;
  const y = (held: number): number => TOP + (1 - held) * SIDE;
  const points = check.reliability as [stated: number, held: number][];
  const line = points.map(([stated, held]) => `${x(stated)},${y(held)}`).join(' ');
  return (
    <figure class="reliability">
      <svg
        viewBox={`0 0 ${LEFT + SIDE + 8} ${TOP + SIDE + BOTTOM}`}
        role="img"
        aria-label={`Reliability of ${check.basis}: ${points
          .map(([stated, held]) => `${percent(stated)} stated, ${percent(held)} held`)
          .join('; ')}`}
      >
        <rect x={LEFT} y={TOP} width={SIDE} height={SIDE} class="frame" />
        <line x1={x(0)} y1={y(0)} x2={x(1)} y2={y(1)} class="ideal" />
        <polyline points={line} class="held" />
        {TICKS.map((tick) => (
          <g key={tick}>
            <text x={x(tick)} y={TOP + SIDE + 13} text-anchor="middle">
              {tick}
            </text>
            <text x={LEFT - 4} y={y(tick) + 4} text-anchor="end">
              {tick}
            </text>
          </g>
        ))}
        <text x={x(0.5)} y={TOP + SIDE + 26} text-anchor="middle">
          stated
        </text>
        <text transform={`translate(10 ${y(0.5)}) rotate(-90)`} text-anchor="middle">
          held
        </text>
      </svg>
      <figcaption>
        <strong>{check.basis}</strong>
        <span>
          error {number(check.ece)}, before the correction {number(check.raw_ece)}
        </span>
        <span>{whole(check.cases)} cases</span>
      </figcaption>
    </figure>
  );
}
