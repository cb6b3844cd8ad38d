import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Peril } from '../../src/risk/assessment.ts';
import type { Calibration } from '../../src/risk/calibration-record.ts';

const FILE = join(import.meta.dirname, '../../src/risk/calibration-figures.ts');

type Figures = Readonly<Partial<Record<Peril, readonly Calibration[]>>>;

/** Reads the figures from the file again; an earlier import may be outdated. */
export async function readFigures(): Promise<Figures> {
  const fresh = `${pathToFileURL(FILE).href}?at=${Date.now()}`;
  return ((await import(fresh)) as { readonly CALIBRATIONS: Figures }).CALIBRATIONS;
}

/** Replaces the figures of one peril in the file. */
export async function writeFigures(peril: Peril, found: readonly Calibration[]): Promise<void> {
  const figures: Figures = { ...(await readFigures()), [peril]: found };
  writeFileSync(
    FILE,
    [
      '// Long file: a table of measured curves, written by a program.',
      "import type { Peril } from './assessment.ts';",
      "import type { Calibration } from './calibration-record.ts';",
      '',
      '/* oxlint-disable oxc/approx-constant -- measured: some lie near a constant by chance */',
      '',
      '/** Written by `node bench/calibration.ts --write`: do not edit by hand. */',
      'export const CALIBRATIONS: Readonly<Partial<Record<Peril, readonly Calibration[]>>> = {',
      ...Object.entries(figures).map(([name, of]) => `  ${name}: ${JSON.stringify(of)},`),
      '};',
      '',
    ].join('\n'),
  );
  execFileSync(join(import.meta.dirname, '../../node_modules/.bin/oxfmt'), [FILE], { stdio: 'ignore' });
}
