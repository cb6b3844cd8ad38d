import { Type } from 'typebox';
import { Day } from './fields.ts';
import { operation } from './operation.ts';
import * as sample from './example-resources.ts';
import { RATE_LIMIT_UNITS, USAGE_DAYS } from './limits.ts';

export const getUsage = operation({
  id: 'getUsage',
  method: 'GET',
  path: '/v1/usage',
  tag: 'Credentials',
  summary: 'Units spent against limits',
  description: `What is left of the budget of the calling credential, and what the account spent in its environment on each of the last ${USAGE_DAYS} days (UTC), by credential. What was spent in the last ten seconds may be missing.`,
  scopes: [],
  answers: [
    {
      status: 200,
      description: 'The usage.',
      body: Type.Object(
        {
          credential_id: Type.String({ description: 'The key or client that asks.' }),
          limit: Type.Integer({ description: 'Its units a minute; 0 is unlimited.' }),
          remaining: Type.Integer({ description: 'Units that it has left now; 0 where there is no limit.' }),
          days: Type.Array(
            Type.Object({
              day: Day('The day, UTC.'),
              credential_id: Type.String(),
              units: Type.Integer(),
            }),
            { description: 'Newest day first; a day without calls is left out.' },
          ),
        },
        { title: 'Usage' },
      ),
    },
  ],
  example: {
    answer: {
      credential_id: sample.KEY,
      limit: RATE_LIMIT_UNITS,
      remaining: 599,
      days: [{ day: '2026-11-19', credential_id: sample.KEY, units: 1280 }],
    },
  },
});

/** The operations, in the order of the documentation. */
export const USAGE_OPERATIONS = [getUsage] as const;
