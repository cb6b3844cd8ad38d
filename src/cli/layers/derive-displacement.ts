import { deriveDisplacement, type DisplacementStack } from '../../app/layers/derive/derive-displacement.ts';
import { derivePointDisplacement } from '../../app/layers/derive/derive-displacement-points.ts';
import { Misuse, number, required, text, type CliContext, type Command, type Given } from '../command.ts';
import { CARD_OPTIONS, layerVersion, cardOptions } from './layer-options.ts';
import { printAdded } from './add-layer.ts';

export const deriveDisplacementCommand: Command = {
  name: 'layers derive displacement',
  summary:
    'Derive the movement of the ground from an InSAR stack or from points, and install it (docs/methods/subsidence.md)',
  audited: true,
  options: {
    stack: { value: 'S.tif', meaning: 'displacement [mm], one band a date; or --points' },
    dates: { value: 'D.csv', meaning: 'its dates: columns band and one of date, datetime, datetime_utc' },
    points: {
      value: 'P.csv',
      meaning:
        'instead of a stack: EGMS points, GNSS velocities, series of displacement [mm], a GNSS series (.pos, .tenv3, CSV of PBO or EarthScope), or a folder of those',
    },
    cell: {
      value: 'METRES',
      meaning: 'width of the grid cells for points',
      fallback: '100, and a tenth of the reach for stations',
    },
    reach: {
      value: 'KM',
      meaning: 'radius in which a station stands for the ground',
      fallback: '5 for GNSS stations and points far apart, none for others',
    },
    lat: {
      value: 'DEG',
      meaning: 'where the only station of --points stands',
      fallback: 'what the file says',
    },
    lng: { value: 'DEG', meaning: 'see lat', fallback: 'what the file says' },
    column: {
      value: 'COL',
      meaning: 'column of the upward displacement of --points',
      fallback: 'one with a usual name',
    },
    unit: { value: 'U', meaning: 'unit of that column', fallback: 'what the file says, or mm' },
    track: {
      value: 'INCIDENCE,HEADING',
      meaning: 'incidence and heading of the radar [degrees from the vertical; of flight from north]',
      fallback: 'the stack is vertical',
    },
    'second-stack': { value: 'S.tif', meaning: 'a stack of the other direction of flight, on the same grid' },
    'second-dates': { value: 'D.csv', meaning: 'its dates' },
    'second-track': { value: 'INCIDENCE,HEADING', meaning: 'incidence and heading of the second stack' },
    version: layerVersion(
      'version of the layers displacement-velocity, velocity-error, velocity-gradient, displacement-acceleration',
    ),
    scale: {
      value: 'S',
      meaning: 'millimetres = raw * scale; negative where away from the satellite is positive',
      fallback: 'what the file says, or 1',
    },
    nodata: { value: 'N', meaning: 'raw value that is no displacement', fallback: 'what the file says' },
    ...CARD_OPTIONS,
  },
  async run(context, given) {
    if (text(given, 'points') !== undefined) {
      await derivePoints(context, given);
      return;
    }
    const idle = POINT_OPTIONS.find((name) => text(given, name) !== undefined);
    if (idle !== undefined) throw new Misuse(`--${idle} goes with --points only`);
    const { added, pixels, moving } = await deriveDisplacement(await context.open(), {
      stacks: stacksOf(given),
      version: required(given, 'version'),
      scale: number(given, 'scale'),
      nodata: number(given, 'nodata'),
      ...cardOptions(given),
    });
    context.note(`${pixels} pixels have a velocity; that of ${moving} is over twice its standard error.`);
    printAdded(context, added);
  },
};

/** Options that cannot be used together with `--points`. */
const STACK_OPTIONS = [
  'stack',
  'dates',
  'second-stack',
  'second-dates',
  'second-track',
  'scale',
  'nodata',
] as const;

/** Options that have a meaning only together with `--points`. */
const POINT_OPTIONS = ['reach', 'lat', 'lng', 'column', 'unit'] as const;

/** @throws Misuse */
async function derivePoints(context: CliContext, given: Given): Promise<void> {
  const idle = STACK_OPTIONS.find((name) => text(given, name) !== undefined);
  if (idle !== undefined) throw new Misuse(`--${idle} does not go with --points`);
  const { added, points, cells, leftOut, reachKm } = await derivePointDisplacement(await context.open(), {
    path: required(given, 'points'),
    view: viewOption(given, 'track'),
    cellM: number(given, 'cell'),
    reachKm: number(given, 'reach'),
    lat: number(given, 'lat'),
    lng: number(given, 'lng'),
    column: text(given, 'column'),
    unit: text(given, 'unit'),
    version: required(given, 'version'),
    ...cardOptions(given),
  });
  context.note(
    reachKm === undefined
      ? `${points} points in ${cells} cells; ${leftOut} series had too few dates.`
      : `${points} ${points === 1 ? 'station' : 'stations'}, each taken for the ground within ${reachKm} km; ${leftOut} series had too few dates.`,
  );
  printAdded(context, added);
}

/** @throws Misuse */
function stacksOf(given: Given): readonly DisplacementStack[] {
  const first = {
    path: required(given, 'stack'),
    datesPath: required(given, 'dates'),
    view: viewOption(given, 'track'),
  };
  const rest = ['second-stack', 'second-dates', 'second-track'].filter(
    (name) => text(given, name) !== undefined,
  );
  if (rest.length === 0) return [first];
  if (first.view === undefined) throw new Misuse('--track is required with --second-stack');
  return [
    first,
    {
      path: required(given, 'second-stack'),
      datesPath: required(given, 'second-dates'),
      view: viewOption(given, 'second-track') ?? missingTrack(),
    },
  ];
}

function missingTrack(): never {
  throw new Misuse('--second-track is required with --second-stack');
}

/** @throws Misuse */
function viewOption(given: Given, name: string): DisplacementStack['view'] {
  const typed = text(given, name);
  if (typed === undefined) return undefined;
  const [incidenceDeg, headingDeg, ...more] = typed
    .split(',')
    .map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (!(incidenceDeg! >= 0 && incidenceDeg! < 90 && Math.abs(headingDeg!) <= 360) || more.length > 0) {
    throw new Misuse(
      `--${name}: expected incidence from 0 to 90 and heading, such as 39,-10 (ascending) or 39,190 (descending), got ${typed}`,
    );
  }
  return { incidenceDeg: incidenceDeg!, headingDeg: headingDeg! };
}
