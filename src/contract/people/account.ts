import { Type } from 'typebox';
import { Timestamp } from '../fields.ts';
import { ENVIRONMENTS } from '../vocabulary.ts';
import { operation } from '../operation.ts';
import * as sample from '../example-resources.ts';

export const getAccount = operation({
  id: 'getAccount',
  method: 'GET',
  path: '/v1/account',
  tag: 'Members',
  summary: 'The account of the caller, and what the caller may do',
  scopes: [],
  answers: [
    {
      status: 200,
      description: 'The account.',
      body: Type.Object(
        {
          id: Type.String(),
          name: Type.String(),
          created_at: Timestamp('When it was made.'),
          caller: Type.Object(
            {
              id: Type.String({ description: 'Id of the key, client or member.' }),
              environment: Type.Enum([...ENVIRONMENTS]),
              scopes: Type.Array(Type.String(), { description: 'What it may do.' }),
            },
            { title: 'Caller' },
          ),
        },
        { title: 'Account' },
      ),
    },
  ],
  example: {
    answer: {
      id: sample.ACCOUNT,
      name: 'acme',
      created_at: '2026-11-02T09:29:00.000Z',
      caller: { id: sample.KEY, environment: 'production', scopes: ['risk:read', 'changes:read'] },
    },
  },
});

/** The operations, in the order of the documentation. */
export const ACCOUNT_OPERATIONS = [getAccount] as const;
