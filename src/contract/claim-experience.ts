import { Type } from 'typebox';

/** What came of older claims, and how it moved the confidence of a change. */
export const ClaimExperience = Type.Object(
  {
    model_confidence: Type.Number({ description: 'The confidence by the model alone.' }),
    claims: Type.Integer({ description: 'Older claims whose fate was known.' }),
    stood: Type.Integer({ description: 'Those of them that stood.' }),
    stated: Type.Number({ description: 'Mean confidence by the model alone when they were confirmed.' }),
    shift: Type.Number({
      description: 'What they add to the log-odds of the confidence of a claim that is confirmed today.',
    }),
    weight: Type.Number({
      description: 'Share of the shift that was added: 1 at the confirmation, decreasing to 0 over a year.',
    }),
  },
  {
    description:
      'What came of older claims of the same kind in the collection, and how it moved the confidence (docs/accuracy.md). Absent: nothing moved it.',
  },
);
