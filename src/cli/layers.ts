import { table, type Command } from './command.ts';
import { RISK_LAYERS } from '../app/assess-risk.ts';

export const listLayers: Command = {
  name: 'layers list',
  summary: 'List the risk layers being served',
  async run(context) {
    const snapshot = (await context.open()).layers.snapshot();
    const cards = RISK_LAYERS.flatMap((layer) => snapshot.cards(layer));
    context.print(
      { layers: cards },
      table(
        ['LAYER', 'VERSION', 'RETURN PERIOD', 'RESOLUTION', 'DATE', 'LICENCE'],
        cards.map((card) => [
          card.layer,
          card.version,
          card.returnPeriodYears === null ? '' : `${card.returnPeriodYears} years`,
          `${card.resolutionM} m`,
          card.date,
          card.licence,
        ]),
      ),
    );
  },
};
