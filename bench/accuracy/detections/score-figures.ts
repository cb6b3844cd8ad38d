import { plainFigure, targetFigure, type Figure } from '../figure.ts';
import { producersAccuracy, usersAccuracy, type Score } from './detection.ts';
import { median } from '../median.ts';

/** Targets of a score; each is left out if it has none. */
export interface ScoreTargets {
  readonly producers?: number;
  readonly users?: number;
  readonly lagDays?: number;
}

/** The score of one method as one figure: producer's and user's accuracy, false pixels, median lag. */
export function scoreFigure(what: string, score: Score, targets: ScoreTargets = {}): Figure {
  const [pa, ua, lag] = [producersAccuracy(score), usersAccuracy(score), median(score.lagDays)];
  const { producers = 0, users = 0, lagDays = Infinity } = targets;
  const { found, changed, wrong, stable, misdated } = score;
  const text =
    `PA ${pa.toFixed(3)} (${found} of ${changed}), UA ${ua.toFixed(3)} ` +
    `(false: ${wrong} of ${stable} stable, ${misdated} misdated), lag ${lag.toFixed(0)} d`;
  const numbers = { pa, ua, lagDays: lag, found, changed, stable, false: wrong, misdated };
  const target = [
    producers > 0 ? `PA at least ${producers}` : '',
    users > 0 ? `UA at least ${users}` : '',
    lagDays < Infinity ? `lag at most ${lagDays} d` : '',
  ]
    .filter((part) => part !== '')
    .join(', ');
  if (target === '') return { ...plainFigure(what, text), numbers };
  const holds = pa >= producers && (users === 0 || ua >= users) && (lagDays === Infinity || lag <= lagDays);
  return { ...targetFigure(what, text, target, holds), numbers };
}
