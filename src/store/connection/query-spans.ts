import type { LogEvent, Logger } from 'kysely';
import { currentTracer, failureOf } from '../../base/trace.ts';

const TABLE = /\b(?:from|into|update|join)\s+(?:only\s+)?"?([a-z_]+)"?/i;

/** Names a statement by its first word and the first table, such as `select changes`, without any of its values. */
export function statementName(text: string): string {
  const verb = /[a-z]+/i.exec(text)?.[0].toLowerCase() ?? 'statement';
  const table = TABLE.exec(text)?.[1];
  return table === undefined ? verb : `${verb} ${table.toLowerCase()}`;
}

/** Makes a span of each statement of a call, a job or a command; undefined when no traces are made. */
export function querySpans(): Logger | undefined {
  const tracer = currentTracer();
  if (tracer === undefined) return undefined;
  return (event: LogEvent) => {
    const name = statementName(event.query.sql);
    const failure = event.level === 'error' ? failureOf(event.error) : undefined;
    const facts = { 'db.system.name': 'postgresql', 'db.query.summary': name };
    tracer.record(name, facts, event.queryDurationMillis, failure);
  };
}
