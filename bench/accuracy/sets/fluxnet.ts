import { isPresent } from '../data-set.ts';
import { claimText, follow } from '../engine.ts';
import { targetFigure, plainFigure, type AccuracySet, type Figure } from '../figure.ts';
import { readTowers, TOWERS_SET as SET } from '../sources/towers.ts';
import { JULIAN_YEAR_MS } from '../../../src/base/time.ts';

const TOWER_YEARS_PER_RECOVERED = 50; // our target: at most one recovered loss in this time

function measure(): Figure[] {
  const figures: Figure[] = [];
  let [unrecovered, recovered, years] = [0, 0, 0];
  for (const [site, stack] of readTowers()) {
    const endMs = stack.timesMs[stack.timesMs.length - 1]!;
    years += (endMs - stack.timesMs[0]!) / JULIAN_YEAR_MS;
    const losses = follow(stack).claims.filter(
      ({ confirmedMs, direction }) => confirmedMs !== null && direction < 0,
    );
    recovered += losses.filter(({ recoveredMs }) => recoveredMs !== null).length;
    unrecovered += losses.filter(
      ({ recoveredMs, confirmedMs }) =>
        (recoveredMs === null || recoveredMs - confirmedMs! > JULIAN_YEAR_MS) &&
        endMs - confirmedMs! > JULIAN_YEAR_MS,
    ).length;
    if (losses.length > 0) figures.push(plainFigure(site, losses.map(claimText).join('; ')));
  }
  const allowed = Math.floor(years / TOWER_YEARS_PER_RECOVERED);
  figures.unshift(
    targetFigure('losses left unrecovered after 12 months', String(unrecovered), '0', unrecovered === 0),
    targetFigure(
      `recovered losses in ${years.toFixed(0)} tower-years`,
      String(recovered),
      `at most ${allowed} (one in ${TOWER_YEARS_PER_RECOVERED})`,
      recovered <= allowed,
    ),
  );
  return figures;
}

/** MODIS series at undisturbed flux towers, as controls. */
export const FLUXNET: AccuracySet = {
  name: SET,
  isPresent: () => isPresent(SET),
  measure: async () => measure(),
};
