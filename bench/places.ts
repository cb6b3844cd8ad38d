/**
 * Places with levels from published sources (test/acceptance/risk-places.csv): score, confidence and rank from the
 * layers that ship, by peril; then the probability that a high place scores above a low one (goal .85), the same for
 * the high places whose source is no shared data set, and the share of all places at confidence 0 (goal 10 %).
 * NAME...: `--catalogue FILE` assesses with the layers of another catalogue.
 */
import { parseArgs } from 'node:util';
import { PERILS } from '../src/contract/vocabulary.ts';
import { answeredPlaces, highAgainstLow, shareWithoutConfidence } from '../test/fixtures/risk-places.ts';
import { SHIPPED_CATALOGUE } from '../test/fixtures/prepared-layers.ts';
import { ShippedAnswers } from '../test/fixtures/shipped-answers.ts';

const LEAST_AUC = 0.85;
const GREATEST_WITHOUT_CONFIDENCE = 0.1;

const { values: options } = parseArgs({
  options: { catalogue: { type: 'string', default: SHIPPED_CATALOGUE } },
});
const answers = await ShippedAnswers.open([options.catalogue]);
const sums: string[] = [];
for (const peril of PERILS) {
  const places = answeredPlaces(answers, peril).toSorted((a, b) => b.answer.riskScore - a.answer.riskScore);
  console.log(
    `\n${peril}\n| rank | place | level | score | confidence | source |\n| --- | --- | --- | --- | --- | --- |`,
  );
  for (const [i, { name, level, answer, source }] of places.entries())
    console.log(
      `| ${i + 1} | ${name} | ${level} | ${answer.riskScore.toFixed(3)} | ${answer.confidence.toFixed(2)} | ${source} |`,
    );
  const unshared = places.filter(({ level, source }) => level === 'low' || !source.includes('(set '));
  const auc = highAgainstLow(places);
  const share = shareWithoutConfidence(answers, peril);
  const high = places.filter(({ level }) => level === 'high').length;
  sums.push(
    `| ${peril} | ${high} | ${places.length - high} | ${auc.toFixed(3)} | ${highAgainstLow(unshared).toFixed(3)} | ${(100 * share).toFixed(1)} % |`,
  );
  if (auc < LEAST_AUC || share > GREATEST_WITHOUT_CONFIDENCE) process.exitCode = 1;
}
answers.close();
console.log(
  '\n| peril | high | low | AUC | AUC without shared sets | confidence 0 |\n| --- | --- | --- | --- | --- | --- |',
);
for (const line of sums) console.log(line);
