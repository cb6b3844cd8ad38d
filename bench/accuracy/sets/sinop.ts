import { isPresent } from '../data-set.ts';
import { follow } from '../engine.ts';
import { share, plainFigure, type AccuracySet, type Figure } from '../figure.ts';
import { readSinop, SINOP_SET as SET } from '../sources/sinop.ts';

async function measure(): Promise<Figure[]> {
  const stack = await readSinop();
  const { width, height } = stack;
  const { claims } = follow(stack);
  const confirmed = claims.filter(({ confirmedMs }) => confirmedMs !== null);
  return [
    plainFigure('one crop year: pixels with a confirmed change', share(confirmed.length, width * height)),
    plainFigure(
      'one crop year: pixels under suspicion at its end',
      share(claims.filter(({ status }) => status === 'suspected').length, width * height),
    ),
  ];
}

/** One year of monthly MODIS images over forest, pasture and double crops: too short to show a lasting change. */
export const SINOP: AccuracySet = { name: SET, isPresent: () => isPresent(SET), measure };
