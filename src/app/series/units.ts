import { InvalidInput } from '../../base/errors.ts';
import { isKnownMetric, metricCard } from './metrics.ts';

/** A unit of a kind such as length. Value in the base unit of the kind = value in this unit * factor + offset. */
interface Unit {
  readonly names: readonly string[];
  readonly factor: number;
  readonly offset?: number;
}

/** Units by kind. The first name of a unit is used in output. Factors are exact by definition unless noted. */
const KINDS: readonly (readonly Unit[])[] = [
  [
    { names: ['C', '°C', 'degC', 'deg_C', 'celsius', 'degree_Celsius', 'degrees_Celsius'], factor: 1 },
    { names: ['K', 'kelvin'], factor: 1, offset: -273.15 },
    { names: ['F', '°F', 'degF', 'fahrenheit'], factor: 5 / 9, offset: -160 / 9 },
  ],
  [
    { names: ['m/s', 'ms-1', 'm s-1', 'mps', 'ms'], factor: 1 },
    { names: ['km/h', 'kmh', 'kph', 'kmph', 'km h-1'], factor: 1 / 3.6 },
    { names: ['kn', 'kt', 'kts', 'knot', 'knots'], factor: 1852 / 3600 },
    { names: ['mph', 'mi/h'], factor: 0.44704 },
    { names: ['ft/s', 'fps'], factor: 0.3048 },
  ],
  [
    { names: ['mm', 'kg/m2', 'kg m-2', 'l/m2'], factor: 0.001 }, // depth of water; 1 kg/m2 is 1 mm at 1000 kg/m3
    { names: ['cm'], factor: 0.01 },
    { names: ['m', 'metre', 'meter', 'metres', 'meters', 'm of water equivalent'], factor: 1 },
    { names: ['inch', 'in', 'inches'], factor: 0.0254 },
    { names: ['ft', 'foot', 'feet'], factor: 0.3048 },
  ],
  [
    { names: ['hPa', 'mbar', 'mb', 'millibar', 'millibars'], factor: 1 },
    { names: ['Pa'], factor: 0.01 },
    { names: ['kPa'], factor: 10 },
    { names: ['mmHg'], factor: 1.33322387415 }, // conventional millimetre of mercury, NIST SP 811
    { names: ['inHg'], factor: 33.86389 }, // conventional inch of mercury, NIST SP 811
  ],
  [
    { names: ['m3/s', 'm³/s', 'm3 s-1', 'cms', 'cumec', 'cumecs'], factor: 1 },
    { names: ['l/s', 'l s-1', 'lps'], factor: 0.001 },
    { names: ['ft3/s', 'cfs'], factor: 0.028316846592 },
    { names: ['m3/h'], factor: 1 / 3600 },
    { names: ['m3/d', 'm3/day'], factor: 1 / 86_400 },
    { names: ['Ml/d', 'Ml/day'], factor: 1000 / 86_400 },
  ],
  [
    { names: ['1', 'fraction', '(0 - 1)', 'm3/m3', 'm3 m-3'], factor: 1 },
    { names: ['%', 'percent', 'pct'], factor: 0.01 },
  ],
  [
    { names: ['mm/yr', 'mm/y', 'mm/a', 'mmyr'], factor: 1 },
    { names: ['cm/yr', 'cm/y', 'cm/a'], factor: 10 },
    { names: ['m/yr', 'm/y', 'm/a'], factor: 1000 },
  ],
  [{ names: ['dB'], factor: 1 }],
];

/** Converts a value from one unit to another. */
export type Conversion = (value: number) => number;

const SAME = { convert: (value: number): number => value, factor: 1, shift: 0 };

/**
 * Returns the conversion from a unit to the unit of a metric: value * factor + shift. Values of a metric that is not
 * built in are not converted.
 * @throws InvalidInput naming the units that can be converted
 */
export function conversionTo(
  metric: string,
  unit: string,
): { readonly unit: string; readonly convert: Conversion; readonly factor: number; readonly shift: number } {
  const own = metricCard(metric).unit;
  if (!isKnownMetric(metric) || unit === own) return { ...SAME, unit: isKnownMetric(metric) ? own : unit };
  const kind = KINDS.find((units) => units.some((other) => isNamed(other, own)))!;
  const [from, to] = [unit, own].map((name) => kind.find((other) => isNamed(other, name)));
  if (from === undefined)
    throw new InvalidInput(
      `--unit: expected a unit of ${metric}, one of ${kind.map(({ names }) => names[0]).join(', ')}; got ${JSON.stringify(unit)}`,
      { param: 'unit' },
    );
  if (from === to) return { ...SAME, unit: own };
  const factor = from.factor / to!.factor;
  const shift = ((from.offset ?? 0) - (to!.offset ?? 0)) / to!.factor;
  // Rounded to 12 digits to remove floating-point noise: 2.3 cm is 23 mm.
  return { unit: own, convert: (value) => Number((value * factor + shift).toPrecision(12)), factor, shift };
}

/**
 * Finds the unit at the end of a column name, such as `precip_mm`, `wind_mean_ms` or `discharge_l_s`; undefined
 * when there is none.
 * @throws InvalidInput when the name ends with a unit that does not fit the metric, or with a fraction of a unit
 */
export function unitOfName(metric: string, name: string): string | undefined {
  const words = name
    .toLowerCase()
    .split(/[_\s()[\]]+/)
    .filter((word) => word !== '');
  if (words.length < 2 || !isKnownMetric(metric)) return undefined;
  // The name states a fraction of a unit, such as (0.1 mm), [1/10 degC] or (tenths of knots). Read as whole units, the
  // values would be at least ten times too large.
  if (/[([]\s*(0?\.0*1|1\/10+|tenths?|hundredths?)\b/i.test(name) && isKnownMetric(metric))
    throw new InvalidInput(
      `--unit: the column ${name} is in parts of a unit: expected --scale with the part (such as 0.1), and --unit`,
      { param: 'unit' },
    );
  const endings = [words.slice(-2).join('/'), words.slice(-2).join(''), words.at(-1)!].filter(
    (ending) => ending !== '1',
  );
  const named = (units: readonly Unit[]): Unit | undefined =>
    units.find((unit) => endings.some((ending) => isNamed(unit, ending)));
  const own = KINDS.find((units) => units.some((unit) => isNamed(unit, metricCard(metric).unit)))!;
  const found = named(own);
  if (found !== undefined) return found.names[0];
  const other = KINDS.map(named).find((unit) =>
    unit?.names.some((known) => known.length > 1 && endings.includes(known.toLowerCase())),
  );
  if (other === undefined) return undefined;
  throw new InvalidInput(
    `--unit: the column ${name} says ${other.names[0]}, which is no unit of ${metric}: expected --unit with one of ${own.map(({ names }) => names[0]).join(', ')}, if it is ${metric}`,
    { param: 'unit' },
  );
}

/** Whether `name` is one of the names of a unit. Ignores case, since no two units of a kind differ only by case. */
function isNamed({ names }: Unit, name: string): boolean {
  const plain = name.replaceAll(/\*\*|\^/gu, '').toLowerCase(); // weather services write `m s**-1` or `m s^-1`
  return names.some((known) => known.toLowerCase() === plain);
}
