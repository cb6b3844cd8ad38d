// Pins the answers of the perils named (all when none is) to their model versions, in test/pins/risk-answers.json. Run by
// hand, on purpose, after a model's version was raised: it refuses to give a version that is pinned already other answers.
// Versions that no model has any more are dropped.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RISK_MODELS } from '../src/risk/models.ts';
import { answersOf, type PinnedAnswer } from '../test/pins/pinned-cases.ts';

const FILE = join(import.meta.dirname, '../test/pins/risk-answers.json');

const pins = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, readonly PinnedAnswer[]>;
const asked = process.argv.slice(2);
const models = Object.values(RISK_MODELS);
const unknown = asked.filter((peril) => !models.some((model) => model.peril === peril));
if (unknown.length > 0) {
  console.error(`There is no peril ${unknown.join(', ')}`);
  process.exit(2);
}
const kept: [string, readonly PinnedAnswer[]][] = [];
for (const model of models) {
  const { peril, modelVersion } = model;
  const before = pins[modelVersion];
  if (asked.length > 0 && !asked.includes(peril)) {
    for (const [version, answers] of Object.entries(pins))
      if (version.startsWith(`${peril}-`)) kept.push([version, answers]);
    continue;
  }
  const answers = answersOf(model);
  if (before !== undefined && JSON.stringify(before) !== JSON.stringify(answers)) {
    console.error(`${modelVersion} is pinned to other answers: raise modelVersion of ${peril} first`);
    process.exitCode = 1;
    kept.push([modelVersion, before]);
    continue;
  }
  kept.push([modelVersion, answers]);
  console.log(`${modelVersion}: ${answers.length} answers ${before === undefined ? 'pinned' : 'as they were'}`);
}
const lines = kept.map(
  ([version, answers]) =>
    `  ${JSON.stringify(version)}: [\n${answers.map((answer) => `    ${JSON.stringify(answer)}`).join(',\n')}\n  ]`,
);
writeFileSync(FILE, `{\n${lines.join(',\n')}\n}\n`);
