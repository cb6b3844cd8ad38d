import { execFileSync } from 'node:child_process';
import { PERILS } from '../../src/contract/vocabulary.ts';
import { create, insertBefore, replace } from './edit.ts';

/** Writes the skeleton of a peril whose model returns its prior for every place: CONTRIBUTING.md, "Add a peril". */
export function newPeril(name: string): void {
  if ((PERILS as readonly string[]).includes(name)) throw new Error(`there is a peril ${name} already`);
  const file = `src/risk/${name}/${name}.ts`;
  const model = `${name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}Model`;
  create(
    file,
    `import type { RiskModel } from '../assessment.ts';
import { explainPrior, priorAssessment, usedLayers } from '../prior.ts';

/** Expected annual damage ratio where nothing is known of a place [1/yr]. Replace it by a published figure and name the source. */
const PRIOR_RATIO = 1e-4;

/** Answers the prior everywhere, with confidence 0, until it reads layers. */
export const ${model}: RiskModel = {
  peril: '${name}',
  modelVersion: '${name}-v0.1.0',
  layers: [],
  evidence: [],
  method: 'The documented prior everywhere.',
  citations: [],
  limits: ['No layer is read yet.'],
  prepare(cards) {
    const prior = priorAssessment(PRIOR_RATIO);
    return {
      assess: () => prior,
      explain: (readings) =>
        explainPrior(prior, 'none', usedLayers(cards, readings), [
          { code: 'prior', message: 'No layer of this peril is read yet.' },
        ]),
    };
  },
};
`,
  );
  create(
    file.replace('.ts', '.test.ts'),
    `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ${model} } from './${name}.ts';

test('without layers the answer is the prior, with confidence 0', () => {
  const { confidence, expectedAnnualDamageRatio } = ${model}.prepare([]).assess([], 0, 0);
  assert.equal(confidence, 0);
  assert.equal(expectedAnnualDamageRatio, 1e-4);
});
`,
  );
  replace('src/contract/vocabulary.ts', /(export const PERILS = \[[^\]]*)\]/, `$1, '${name}']`);
  insertBefore('src/risk/models.ts', /^import .*;$/, `import { ${model} } from './${name}/${name}.ts';\n`);
  insertBefore('src/risk/models.ts', /^\};$/, `  ${/^\w+$/.test(name) ? name : `'${name}'`}: ${model},\n`);
  create(
    `docs/methods/${name}.md`,
    `# ${name[0]!.toUpperCase()}${name.slice(1)}\n\nThe model is \`${name}-v0.1.0\`. It reads no layer yet and answers its prior everywhere, with confidence 0.\n`,
  );
  insertBefore(
    'src/contract/release-history.ts',
    /^ {4}\],$/,
    `      'Added the peril ${name}.',\n`,
    'first',
  );
}

/** Pins the answers of a new peril, once its files are written. @returns the file of the pins */
export function pinPeril(name: string): string {
  execFileSync(process.execPath, ['scripts/pin-answers.ts', name], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return 'test/pins/risk-answers.csv';
}
