// Pins the answers of the perils named (all when none is) to their model versions, in test/pins/risk-answers.csv. Run by
// hand, on purpose, after a model's version was raised: it refuses to give a version that is pinned already other answers.
// Versions that no model has any more are dropped.
import { RISK_MODELS } from '../src/risk/models.ts';
import { answersOf, type PinnedAnswer, readPins, writePins } from '../test/pins/pinned-cases.ts';

const asked = process.argv.slice(2);
const models = Object.values(RISK_MODELS);
const unknown = asked.filter((peril) => !models.some((model) => model.peril === peril));
if (unknown.length > 0) {
  console.error(`There is no peril ${unknown.join(', ')}`);
  process.exit(2);
}
const pins = readPins();
const kept = new Map<string, readonly PinnedAnswer[]>();
for (const model of models) {
  const { peril, modelVersion } = model;
  if (asked.length > 0 && !asked.includes(peril)) {
    for (const [version, answers] of pins) if (version.startsWith(`${peril}-`)) kept.set(version, answers);
    continue;
  }
  const before = pins.get(modelVersion);
  const answers = answersOf(model);
  // Cases that were added are pinned to the version that it is; those that it has must be as they were.
  if (before !== undefined && JSON.stringify(before) !== JSON.stringify(answers.slice(0, before.length))) {
    console.error(`${modelVersion} is pinned to other answers: raise modelVersion of ${peril} first`);
    process.exitCode = 1;
    kept.set(modelVersion, before);
    continue;
  }
  kept.set(modelVersion, answers);
  console.log(
    `${modelVersion}: ${answers.length} answers ${before?.length === answers.length ? 'as they were' : 'pinned'}`,
  );
}
writePins(kept);
