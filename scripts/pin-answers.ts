// Pins the answers of the named perils (default: all) to their model versions, in test/pins/risk-answers.csv. Run it
// by hand after raising a model version. It refuses to change the answers of a version that is already pinned. The answers
// of former versions stay in the file, as what they answered.
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
const kept = new Map<string, readonly PinnedAnswer[]>(pins);
for (const model of models) {
  const { peril, modelVersion } = model;
  if (asked.length > 0 && !asked.includes(peril)) continue;
  const before = pins.get(modelVersion);
  const answers = answersOf(model);
  // New cases are pinned to the current version; the pinned answers of this version must not change.
  if (before !== undefined && JSON.stringify(before) !== JSON.stringify(answers.slice(0, before.length))) {
    console.error(`${modelVersion} is pinned to other answers: raise modelVersion of ${peril} first`);
    process.exitCode = 1;
    continue;
  }
  kept.set(modelVersion, answers);
  console.log(
    `${modelVersion}: ${answers.length} answers ${before?.length === answers.length ? 'unchanged' : 'pinned'}`,
  );
}
writePins(kept);
