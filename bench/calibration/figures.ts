import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Peril } from '../../src/risk/assessment.ts';
import type { Calibration } from '../../src/risk/calibration.ts';

const FILE = join(import.meta.dirname, '../../src/risk/calibration-figures.ts');

type Figures = Readonly<Record<Peril, readonly Calibration[]>>;

/** The figures as the file has them now, whatever was imported before. */
export async function readFigures(): Promise<Figures> {
  const fresh = `${pathToFileURL(FILE).href}?at=${Date.now()}`;
  return ((await import(fresh)) as { readonly CALIBRATIONS: Figures }).CALIBRATIONS;
}

/** Puts the figures of one peril in place of those that it had. */
export async function writeFigures(peril: Peril, found: readonly Calibration[]): Promise<void> {
  const figures: Figures = { ...(await readFigures()), [peril]: found };
  writeFileSync(
    FILE,
    [
      "import type { Peril } from './assessment.ts';",
      "import type { Calibration } from './calibration.ts';",
      '',
      '/* oxlint-disable oxc/approx-constant -- measured: some lie near a constant by chance */',
      '',
      '/** Written by `node bench/calibration.ts --write`: not by hand. */',
      'export const CALIBRATIONS: Readonly<Record<Peril, readonly Calibration[]>> = {',
      ...Object.entries(figures).map(([name, of]) => `  ${name}: ${JSON.stringify(of)},`),
      '};',
      '',
    ].join('\n'),
  );
  execFileSync(join(import.meta.dirname, '../../node_modules/.bin/oxfmt'), [FILE], { stdio: 'ignore' });
}
