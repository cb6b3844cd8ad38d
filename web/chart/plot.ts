import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { ChartLine, ChartPlan, LineColour } from './chart-plan.ts';

// The library declares the values of `distr` and `side` as const enums, which do not exist at run time. So the numbers
// are written here.
const LOGARITHMIC: object = { time: false, distr: 3 };
const RIGHT: object = { scale: 'right', side: 1 };

/** Range of an axis from zero to 5 % above the largest value. */
const FROM_ZERO: uPlot.Range.Function = (_plot, _min, max) => [0, (max ?? 1) * 1.05 || 1];

const DAY_S = 86_400;
/**
 * Formats of the dates along an axis: day before month, and hours from 0 to 23, as everywhere in the console. Each row
 * contains the smallest step between two labels [s] and the format of a label. The texts after the format are added
 * below a label where a new year, month or day begins.
 * @see https://github.com/leeoniya/uPlot/tree/master/docs "Axis & Grid Opts", `values`
 */
const DATES: uPlot.Axis.Values = [
  [365 * DAY_S, '{YYYY}', null, null, null, null, null, null, 1],
  [28 * DAY_S, '{MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [DAY_S, '{D} {MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [60, '{HH}:{mm}', '\n{D} {MMM} {YYYY}', null, '\n{D} {MMM}', null, null, null, 1],
  [1, '{HH}:{mm}:{ss}', '\n{D} {MMM} {YYYY}', null, '\n{D} {MMM}', null, null, null, 1],
];

const HEIGHT_PX = 220;
/** Options of the two bounds of a band. The bounds are invisible; only the area between them is drawn. */
const BOUND = { class: 'bound', width: 0, points: { show: false } } satisfies Partial<uPlot.Series>;

export interface PlotHandle {
  readonly remove: () => void;
}

/**
 * Draws a chart into a container. The chart is drawn again when the container's width or the browser's light or dark
 * setting changes.
 */
export function drawPlot(container: HTMLElement, plan: ChartPlan): PlotHandle {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  let plot = make(container, plan);
  const redraw = (): void => {
    plot.destroy();
    plot = make(container, plan);
  };
  const resized = new ResizeObserver(() => plot.setSize({ width: container.clientWidth, height: HEIGHT_PX }));
  resized.observe(container);
  dark.addEventListener('change', redraw);
  return {
    remove() {
      resized.disconnect();
      dark.removeEventListener('change', redraw);
      plot.destroy();
    },
  };
}

function make(container: HTMLElement, plan: ChartPlan): uPlot {
  const style = getComputedStyle(container);
  const colour = (name: LineColour | 'line'): string => style.getPropertyValue(`--${name}`).trim();
  const font = `12px ${style.fontFamily}`;
  const axis = { stroke: colour('soft'), font, labelFont: font, labelSize: 16, labelGap: 4 };
  const grid = { stroke: colour('line'), width: 1 };
  const ticks = { ...grid, size: 4 };
  const columns: (number | null)[][] = [[...plan.x.values]];
  const series: uPlot.Series[] = [
    plan.x.kind === 'time' ? { label: 'date', value: dayOf } : { label: plan.x.label ?? 'x', value: shortly },
  ];
  const bands: uPlot.Band[] = [];
  const add = (values: readonly (number | null)[], options: uPlot.Series): void => {
    columns.push([...values]);
    series.push(options);
  };
  for (const line of plan.lines) {
    const scale = line.right ? 'right' : 'y';
    if (line.band !== undefined) {
      const bound = { ...BOUND, scale, stroke: 'transparent' };
      add(line.band.low, { ...bound, label: `${line.label}, low` });
      add(line.band.high, { ...bound, label: `${line.label}, high` });
      bands.push({ series: [series.length - 1, series.length - 2], fill: `${colour(line.colour)}26` });
    }
    add(line.values, lineSeries(line, scale, colour(line.colour)));
  }
  return new uPlot(
    {
      width: container.clientWidth,
      height: HEIGHT_PX,
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'UTC'),
      cursor: { points: { size: 7 } },
      legend: { live: true },
      bands,
      scales: {
        x: plan.x.kind === 'time' ? { time: true } : { ...LOGARITHMIC },
        ...(plan.right && {
          right: plan.right.range ? { range: [...plan.right.range] } : { range: FROM_ZERO },
        }),
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          ticks,
          ...(plan.x.label && { label: plan.x.label }),
          ...(plan.x.kind === 'time' && { values: DATES }),
        },
        { ...axis, grid, ticks, label: plan.left, size: 50 },
        ...(plan.right
          ? [{ ...axis, ...RIGHT, grid: { show: false }, ticks, label: plan.right.label, size: 44 }]
          : []),
      ],
      series,
      hooks: { draw: [(chart) => drawMarks(chart, plan, colour, font)] },
    },
    columns as unknown as uPlot.AlignedData,
    container,
  );
}

function lineSeries(line: ChartLine, scale: string, stroke: string): uPlot.Series {
  return {
    label: line.label,
    scale,
    // No values are known between the observations (points). The pale line between them only guides the eye.
    stroke: line.points ? `${stroke}80` : stroke,
    width: line.loose ? 0 : line.points ? 1 : 1.75,
    spanGaps: true,
    ...(line.dashed && { dash: [5, 4] }),
    points: { show: line.points ?? false, size: 5, fill: stroke, stroke },
    value: shortly,
  };
}

/** Draws the marks of a plan and their words at the top, each word in the first of three rows where it is free. */
function drawMarks(
  chart: uPlot,
  { marks = [] }: ChartPlan,
  colour: (name: LineColour) => string,
  font: string,
): void {
  const { ctx, bbox } = chart;
  const scale = devicePixelRatio;
  const ends: number[] = [];
  ctx.save();
  ctx.font = font.replace(/^\d+/, (size) => String(Number(size) * scale));
  for (const { at, label, colour: name } of marks) {
    const x = Math.round(chart.valToPos(at, 'x', true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.strokeStyle = ctx.fillStyle = colour(name);
    ctx.lineWidth = 1.5 * scale;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    const width = ctx.measureText(label).width;
    const isLeft = x + width + 6 * scale > bbox.left + bbox.width;
    const from = isLeft ? x - width - 4 * scale : x + 4 * scale;
    let row = 0;
    while (row < 2 && (ends[row] ?? -Infinity) > from) row++;
    ends[row] = from + width;
    ctx.fillText(label, from, bbox.top + (12 + 14 * row) * scale);
  }
  ctx.restore();
}

const formatDay = uPlot.fmtDate('{D} {MMM} {YYYY}');

/** Formats the date at the pointer for the legend; empty while the pointer is not on the chart. */
function dayOf(_plot: uPlot, seconds: number | null): string {
  return seconds === null ? '' : formatDay(uPlot.tzDate(new Date(seconds * 1000), 'UTC'));
}

function shortly(_plot: uPlot, value: number | null): string {
  return value === null ? '' : String(Number(value.toPrecision(3)));
}
