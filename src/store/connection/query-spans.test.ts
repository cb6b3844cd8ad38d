import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statementName } from './query-spans.ts';

test('a statement is named by its first word and its first table, never by a value', () => {
  for (const [text, name] of [
    ['select "id" from "changes" where "id" = $1', 'select changes'],
    ['\n    insert into events (account_id) select 1', 'insert events'],
    ["update jobs set problem = 'from secrets' where id = $1", 'update jobs'],
    ['with a as (select * from deliveries) select * from a', 'with deliveries'],
    ["select pg_notify('x', 'y')", 'select'],
    ['', 'statement'],
  ] as const)
    assert.equal(statementName(text), name, text);
});
