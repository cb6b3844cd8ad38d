import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Peril } from '../../src/risk/assessment.ts';
import type { Calibration, Information } from '../../src/risk/calibration-record.ts';

const FILE = join(import.meta.dirname, '../../src/risk/calibration-figures.ts');

type ByPeril<T> = Readonly<Partial<Record<Peril, readonly T[]>>>;

export interface Figures {
  readonly CALIBRATIONS: ByPeril<Calibration>;
  readonly INFORMATION: ByPeril<Information>;
}

/** Reads the figures from the file again; an earlier import may be outdated. */
export async function readFigures(): Promise<Figures> {
  const fresh = `${pathToFileURL(FILE).href}?at=${Date.now()}`;
  return (await import(fresh)) as Figures;
}

/** Replaces the figures of one peril in the file. */
export async function writeFigures(
  peril: Peril,
  found: readonly Calibration[],
  information: readonly Information[],
): Promise<void> {
  const before = await readFigures();
  const calibrations = { ...before.CALIBRATIONS, [peril]: found };
  const informations = { ...before.INFORMATION, [peril]: information };
  writeFileSync(
    FILE,
    [
      '// Long file: a table of measured curves, written by a program.',
      "import type { Peril } from './assessment.ts';",
      "import type { Calibration, Information } from './calibration-record.ts';",
      '',
      '/* oxlint-disable oxc/approx-constant -- measured: some lie near a constant by chance */',
      '',
      '/** Written by `node bench/calibration.ts --write`: do not edit by hand. */',
      'export const CALIBRATIONS: Readonly<Partial<Record<Peril, readonly Calibration[]>>> = {',
      ...Object.entries(calibrations).map(([name, of]) => `  ${name}: ${JSON.stringify(of)},`),
      '};',
      '',
      '/** Written by the same program: do not edit by hand. */',
      'export const INFORMATION: Readonly<Partial<Record<Peril, readonly Information[]>>> = {',
      ...Object.entries(informations).map(([name, of]) => `  ${name}: ${JSON.stringify(of)},`),
      '};',
      '',
    ].join('\n'),
  );
  execFileSync(join(import.meta.dirname, '../../node_modules/.bin/oxfmt'), [FILE], { stdio: 'ignore' });
}
