import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { Anomaly } from '../../contract/anomalies.ts';
import { Change } from '../../contract/changes.ts';
import { columnsOf, Day, nullable, Timestamp } from '../../contract/fields.ts';
import { wantedTable } from './table.ts';

test('a table is asked for by f, or by an Accept header that prefers it', () => {
  const asks = (accept: string | undefined, f?: string) => wantedTable({ headers: { accept } }, f, true);
  assert.equal(asks('application/json', 'csv'), 'csv');
  assert.equal(asks('text/csv', 'json'), undefined);
  assert.equal(asks('text/csv', 'parquet'), 'parquet');
  for (const accept of ['text/csv', 'text/csv;q=0.9', ' Text/CSV , */*;q=0.1'])
    assert.equal(asks(accept), 'csv', accept);
  for (const accept of ['application/vnd.apache.parquet', 'Application/vnd.apache.parquet, */*'])
    assert.equal(asks(accept), 'parquet', accept);
  const others = [
    'text/csv;q=0.5, application/geo+json',
    'text/csv;q=0, */*',
    'text/csv;q=0.5,application/json;q=0.8',
  ];
  for (const accept of [
    undefined,
    '*/*',
    'application/json, text/csv',
    'text/csvx',
    'text/html',
    '',
    ...others,
  ])
    assert.equal(asks(accept), undefined, String(accept));
});

test('the kind of a column follows from its schema', () => {
  const kinds = columnsOf(
    Type.Object({
      name: Type.Optional(Type.String()),
      state: Type.Enum(['a', 'b']),
      value: nullable(Type.Number()),
      count: Type.Integer(),
      simulated: Type.Optional(Type.Literal(true)),
      at: nullable(Timestamp('then')),
      day: Day('then'),
      ids: Type.Array(Type.String()),
      odd: Type.Unsafe({ type: ['number', 'string'] }),
    }),
  ).map(({ kind }) => kind);
  assert.deepEqual(kinds, ['text', 'text', 'number', 'integer', 'flag', 'moment', 'day', 'json', 'json']);
  assert.equal(columnsOf(Change).at(-1)?.kind, 'geometry');
  assert.equal(columnsOf(Anomaly, ['provenance']).find(({ name }) => name === 'station')?.kind, 'json');
});
