/** A line, points or bars in a panel, in the units of its axes. */
export interface PanelSeries {
  readonly kind: 'line' | 'step' | 'points' | 'diagonal' | 'bars';
  readonly points: readonly (readonly [x: number, y: number])[];
  /** Name in the legend; empty if the series is not in the legend. */
  readonly name: string;
  readonly colour: string;
}

/** One plot with two linear axes from 0. */
export interface Panel {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly xMax: number;
  readonly yMax: number;
  readonly series: readonly PanelSeries[];
  /** Place of the legend: below the panel, or inside at the top left (if not given). */
  readonly legend?: 'below';
}

/** Colours that people with colour blindness can distinguish (Okabe & Ito 2008). */
export const COLOURS = {
  blue: '#0072b2',
  orange: '#d55e00',
  green: '#009e73',
  purple: '#cc79a7',
  grey: '#8a8a8a',
} as const;

/** Sizes of the drawing [px]. */
const WIDTH = 400;
const HEIGHT = 340;
const MARGIN = { left: 58, right: 16, top: 40, bottom: 52 } as const;
const BAR_WIDTH = 9;
const LEGEND_STEP = 17;
const LEGEND_WIDTH = 240;
const LINE_HEIGHT = 18;
const TICKS = 5;

/**
 * Draws panels in rows of `columns` as an SVG document with a white background and selectable text.
 * @param caption description of the drawing, below the panels
 * @param notes lines of text below the caption
 */
export function panelsSvg(
  panels: readonly Panel[],
  caption: string,
  columns = panels.length,
  notes: readonly string[] = [],
): string {
  const width = WIDTH * columns;
  const step = HEIGHT + Math.max(0, ...panels.map(heightBelow));
  const below = step * Math.ceil(panels.length / columns);
  const height = below + 24 + LINE_HEIGHT * notes.length;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12" role="img" aria-label="${escaped(caption)}">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...panels.map((panel, i) => {
      const [x, y] = [(i % columns) * WIDTH, Math.floor(i / columns) * step];
      return `<g transform="translate(${x} ${y})">${panelGroup(panel)}</g>`;
    }),
    text(12, below + 14, caption, { fill: '#555555' }),
    ...notes.map((note, i) => text(12, below + 14 + LINE_HEIGHT * (i + 1), note, {})),
    '</svg>',
    '',
  ].join('\n');
}

/** Height of the legend of a panel if it is below the panel [px]. */
function heightBelow({ legend, series }: Panel): number {
  return legend === 'below' ? 8 + LEGEND_STEP * series.filter(({ name }) => name !== '').length : 0;
}

function panelGroup(panel: Panel): string {
  const [left, right] = [MARGIN.left, WIDTH - MARGIN.right];
  const [top, bottom] = [MARGIN.top, HEIGHT - MARGIN.bottom];
  const x = (value: number): number => left + (value / panel.xMax) * (right - left);
  const y = (value: number): number => bottom - (value / panel.yMax) * (bottom - top);
  const ticks = Array.from({ length: TICKS + 1 }, (_, i) => i / TICKS);
  const named = panel.series.filter(({ name }) => name !== '');
  const legendTop = panel.legend === 'below' ? HEIGHT : top;
  return [
    text((left + right) / 2, 20, panel.title, { 'text-anchor': 'middle', 'font-weight': 'bold' }),
    ...ticks.map(
      (share) =>
        `<path d="M${left} ${at(y(share * panel.yMax))}H${right}M${at(x(share * panel.xMax))} ${bottom}v4" stroke="#e0e0e0"/>` +
        text(left - 8, y(share * panel.yMax) + 4, tick(share * panel.yMax), { 'text-anchor': 'end' }) +
        text(x(share * panel.xMax), bottom + 18, tick(share * panel.xMax), { 'text-anchor': 'middle' }),
    ),
    `<path d="M${left} ${top}V${bottom}H${right}" fill="none" stroke="#333333"/>`,
    text((left + right) / 2, bottom + 38, panel.xLabel, { 'text-anchor': 'middle' }),
    text(0, 0, panel.yLabel, {
      'text-anchor': 'middle',
      transform: `translate(16 ${(top + bottom) / 2}) rotate(-90)`,
    }),
    ...panel.series.map((series) => drawn(series, x, y)),
    // The background of the legend is semi-transparent, so that the curves behind it stay visible.
    `<rect x="${left + 4}" y="${legendTop}" width="${LEGEND_WIDTH}" height="${8 + LEGEND_STEP * named.length}" fill="#ffffff" opacity="${named.length > 0 ? 0.8 : 0}"/>`,
    ...named.map(
      ({ name, colour }, i) =>
        `<rect x="${left + 10}" y="${legendTop + 4 + LEGEND_STEP * i}" width="10" height="10" fill="${colour}"/>` +
        text(left + 26, legendTop + 13 + LEGEND_STEP * i, name, {}),
    ),
  ].join('\n');
}

function drawn(
  { kind, points, colour }: PanelSeries,
  x: (value: number) => number,
  y: (value: number) => number,
): string {
  const place = points.map(([px, py]) => [at(x(px)), at(y(py))] as const);
  if (kind === 'points')
    return place.map(([px, py]) => `<circle cx="${px}" cy="${py}" r="3.5" fill="${colour}"/>`).join('');
  if (kind === 'bars') {
    const ground = at(y(0));
    const bar = `stroke="${colour}" stroke-width="${BAR_WIDTH}" opacity="0.45"`;
    return place.map(([px, py]) => `<path d="M${px} ${ground}V${py}" ${bar}/>`).join('');
  }
  const dashes = kind === 'diagonal' ? ' stroke-dasharray="4 4"' : '';
  const path = place.map(([px, py], i) =>
    i === 0 ? `M${px} ${py}` : kind === 'step' ? `H${px}V${py}` : `L${px} ${py}`,
  );
  return `<path d="${path.join('')}" fill="none" stroke="${colour}" stroke-width="2" stroke-linecap="round"${dashes}/>`;
}

function text(x: number, y: number, words: string, attributes: Readonly<Record<string, string>>): string {
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${value}"`);
  return `<text x="${at(x)}" y="${at(y)}"${written.join('')}>${escaped(words)}</text>`;
}

/** Rounds a coordinate to 0.01 px. */
function at(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Formats the value of an axis tick, without floating-point noise. */
function tick(value: number): string {
  return String(Number(value.toPrecision(3)));
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
