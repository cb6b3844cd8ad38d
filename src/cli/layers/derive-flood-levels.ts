import { deriveFloodLevels, type DerivedFloodLevels } from '../../app/layers/derive/derive-flood-levels.ts';
import type { GaugeKind, GaugeReport } from '../../app/layers/derive/gauge-records.ts';
import { type Command, Misuse, number, required } from '../command.ts';
import { printAdded } from './add-layer.ts';
import { CARD_OPTIONS, layerVersion, cardOptions } from './layer-options.ts';
import { noteRecords, RECORD_OPTIONS, recordsOf } from './record-options.ts';

const KINDS = ['sea-level', 'river-level', 'river-flow'] as const satisfies readonly GaugeKind[];
/** Maximum number of gauges that are described one by one. */
const MOST_NAMED = 20;

export const deriveFloodLevelsCommand: Command = {
  name: 'layers derive flood-levels',
  summary: 'Derive flood levels from tide or river gauges, and install them (docs/layers.md)',
  audited: true,
  options: {
    records: {
      value: 'RECORDS.csv',
      meaning: 'levels or flows of gauges, in the forms of ingest points: with a date each, or one a year',
      required: true,
    },
    kind: { value: KINDS.join('|'), meaning: 'what the gauges measure', required: true },
    version: layerVersion(
      'version of the layers sea-level and sea-level-error, or river-stage and river-stage-error',
    ),
    'mean-level': {
      value: 'M',
      meaning: 'mean sea level above the zero of a tide gauge [m]',
      fallback: 'the mean of the last 19 years of the record',
    },
    bank: {
      value: 'M',
      meaning: 'stage of a river gauge at which the river is full to its banks [m]',
      fallback: 'the level of two years',
    },
    area: { value: 'KM2', meaning: 'upstream area of a river gauge; required for river-level' },
    reach: {
      value: 'KM',
      meaning: 'radius in which a gauge speaks for its coast or river',
      fallback: '200 for sea levels, 60 for rivers',
    },
    ...RECORD_OPTIONS,
    ...CARD_OPTIONS,
  },
  async run(context, given) {
    const typed = required(given, 'kind');
    const kind = KINDS.find((known) => known === typed);
    if (kind === undefined) throw new Misuse(`--kind: expected ${KINDS.join(' or ')}, got ${typed}`);
    const derived = await deriveFloodLevels(await context.open(), {
      ...recordsOf(given),
      kind,
      meanLevelM: number(given, 'mean-level'),
      bankM: number(given, 'bank'),
      areaKm2: number(given, 'area'),
      reachKm: number(given, 'reach'),
      version: required(given, 'version'),
      ...cardOptions(given),
    });
    for (const gauge of derived.gauges.slice(0, MOST_NAMED)) context.note(sentence(gauge, derived, kind));
    if (derived.gauges.length > MOST_NAMED)
      context.note(`... and ${derived.gauges.length - MOST_NAMED} more gauges.`);
    noteRecords(context, derived);
    context.note(`Each gauge speaks for places within ${derived.reachKm} km, less the farther they are.`);
    printAdded(context, derived.added);
  },
};

/** Describes a gauge: years, trend, and its levels of 10 years and of the rarest return period up to 100 years. */
function sentence(gauge: GaugeReport, { unit }: DerivedFloodLevels, kind: GaugeKind): string {
  const { station, span, trend, statedFor, levels, layerLevels } = gauge;
  const figure = (value: number): string => String(Number(value.toPrecision(4)));
  const told = levels
    .filter(({ returnPeriodYears: T }) => T === 10 || T === 100)
    .map(
      ({ returnPeriodYears: T, level, low, high }) =>
        `${T} years ${figure(level)} ${unit} (90 %: ${figure(low)} to ${figure(high)})`,
    )
    .join(', ');
  const slope =
    trend === null
      ? 'no significant trend'
      : `a trend of ${trendText(trend.slope, unit)} a year (p ${trend.pValue.toPrecision(2)}), stated for ${statedFor}`;
  const mean = kind === 'sea-level' ? `; mean sea level ${figure(levels[0]!.level - layerLevels[0]!)} m` : '';
  return `${station}: ${span}${mean}; ${told}; ${slope}.`;
}

/** Trend of flows in percent, of levels in mm. */
function trendText(slope: number, unit: string): string {
  const value = unit === 'm' ? 1000 * slope : 100 * Math.expm1(slope);
  return `${Number(value.toPrecision(2))} ${unit === 'm' ? 'mm' : '%'}`;
}
