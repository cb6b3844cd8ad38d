import { Type, type Static } from 'typebox';
import { columnsOf, Cursor, Limit, ListFormat, NextCursor, nullable, Timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import * as sample from '../example-resources.ts';

export const AuditRecord = Type.Object(
  {
    at: Timestamp('When it was recorded.'),
    actor: Type.String({
      description:
        'Id of the key, client or member; `operator` and a name for the command line of the installation.',
    }),
    action: Type.String({ description: 'The operation, such as `createKey`, or the command.' }),
    target: nullable(Type.String({ description: 'Id of what was acted on; null: nothing has one.' })),
    environment: nullable(Type.String({ description: 'Null: the whole account, as a sign-in.' })),
    address: nullable(Type.String({ description: 'Address of the caller.' })),
    request_id: nullable(Type.String()),
    result: Type.String({ description: '`done`, or why it was refused.' }),
    count: Type.Integer({ description: 'How many equal actions within ten seconds it stands for.' }),
  },
  { title: 'AuditRecord' },
);
export type AuditRecord = Static<typeof AuditRecord>;

export const listAudit = operation({
  id: 'listAudit',
  method: 'GET',
  path: '/v1/audit',
  tag: 'Members',
  summary: 'The audit log of the account, newest first',
  description:
    'What credentials and members of the account did and were refused, in the environment of the caller and in none, such as sign-ins. Refusals and issued tokens may come ten seconds late.',
  scopes: ['audit:read'],
  query: Type.Object({ limit: Limit, cursor: Cursor, f: ListFormat }, { additionalProperties: false }),
  answers: [
    {
      status: 200,
      description: 'The records.',
      body: Type.Object(
        { records: Type.Array(AuditRecord), next_cursor: NextCursor },
        { title: 'AuditRecords' },
      ),
      table: columnsOf(AuditRecord),
    },
  ],
  example: {
    answer: {
      records: [
        {
          at: '2026-11-19T08:00:00.000Z',
          actor: sample.MEMBER,
          action: 'createKey',
          target: sample.KEY,
          environment: 'production',
          address: '198.51.100.7',
          request_id: 'req_01k9q3v8gze7q8w1n5s0t4b6ya',
          result: 'done',
          count: 1,
        },
      ],
    },
  },
});

/** The operations, in the order of the documentation. */
export const AUDIT_OPERATIONS = [listAudit] as const;
