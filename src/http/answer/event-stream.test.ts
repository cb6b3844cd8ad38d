import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import { testApp } from '../../../test/fixtures/test-app.ts';
import { EventNews } from '../../app/events/event-news.ts';
import type { EventLog } from '../../app/events/event-log.ts';
import { eventStream, type EventStreamOptions } from './event-stream.ts';

describe('a stream of events', () => {
  let world: TestStorage;
  before(async () => {
    world = await testStorage();
  });
  after(() => world.close());

  const emit = (n: number, type: 'webhook.test' | 'change.detected' = 'webhook.test') =>
    world.storage.events.emit(world.owner, type, { n });
  /** Opens a stream of new events, and collects its output. */
  async function listen(options: Partial<EventStreamOptions> = {}) {
    const log = options.log ?? world.storage.eventLog;
    const stop = new AbortController();
    let text = '';
    const stream = eventStream({
      log,
      news: new EventNews(log, 5),
      owner: world.owner,
      type: undefined,
      from: await log.end(world.owner),
      holds: () => Promise.resolve(true),
      signal: stop.signal,
      ...options,
    });
    const ended = new Promise<unknown>((resolve) => {
      stream.once('end', resolve).once('error', resolve);
    });
    stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    const said = async (what: string): Promise<void> => {
      for (const end = Date.now() + 60_000; !text.includes(what);) {
        assert.ok(Date.now() < end, `${what} is not in ${text}`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };
    return { said, stop, ended, text: () => text };
  }
  const ids = (text: string): string[] => [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id!);

  test('each event is sent once and in order, as a message with its id, type and body', async () => {
    await emit(0); // this event is older than the stream, so the stream does not contain it
    const { said, stop, ended, text } = await listen();
    const made: string[] = [];
    for (let n = 1; n <= 250; n++) made.push(await emit(n));
    await said(made.at(-1)!);
    stop.abort();
    assert.equal(await ended, undefined);
    assert.deepEqual(ids(text()), made);
    const [, first] = /^event: webhook\.test\ndata: (.*)\n\n/m.exec(text()) ?? [];
    assert.deepEqual((JSON.parse(first!) as { data: unknown }).data, { n: 1 });
    assert.ok(text().startsWith('retry: 2000\n\n'));
  });

  test('a stream of one type skips events of others without delay', async () => {
    const { said, stop, text } = await listen({ type: 'change.detected' });
    for (let n = 0; n < 5; n++) await emit(n);
    const wanted = await emit(9, 'change.detected');
    await said(wanted);
    stop.abort();
    assert.deepEqual(ids(text()), [wanted]);
  });

  test('a comment is sent while there are no events, and the stream ends when the credential does', async () => {
    let holds = true;
    const { said, ended } = await listen({ heartbeatMs: 20, holds: () => Promise.resolve(holds) });
    await said('\n\n:\n\n:\n\n');
    holds = false;
    assert.equal(await ended, undefined);
  });

  test('many streams share one poll of the database', async () => {
    let questions = 0;
    const { eventLog } = world.storage;
    const log: EventLog = {
      find: (owner, id) => eventLog.find(owner, id),
      page: (owner, query) => eventLog.page(owner, query),
      end: (owner) => eventLog.end(owner),
      news: (readers) => {
        questions += 1;
        return eventLog.news(readers);
      },
    };
    const news = new EventNews(log, 50);
    const started = performance.now();
    const listeners = await Promise.all(Array.from({ length: 20 }, () => listen({ log, news })));
    await new Promise((resolve) => setTimeout(resolve, 400));
    const asked = questions;
    const most = (performance.now() - started) / 50 + 2;
    assert.ok(asked >= 1 && asked <= most, `${asked} questions`);
    const id = await emit(1);
    for (const { said, stop } of listeners) {
      await said(id);
      stop.abort();
    }
    await Promise.all(listeners.map(({ ended }) => ended));
  });

  test('a service that stops ends the stream', async () => {
    const { app } = await testApp({ storage: world.storage });
    const address = await app.listen({ host: '127.0.0.1', port: 0 });
    const answer = await fetch(`${address}/v1/events/stream`, { headers: { authorization: 'Bearer k' } });
    assert.equal(answer.status, 200);
    // With keep-alive, stopping the service would wait for the idle connection, a minute or more.
    assert.equal(answer.headers.get('connection'), 'close');
    const [text] = await Promise.all([answer.text(), app.close()]);
    assert.equal(text, 'retry: 2000\n\n');
  });

  test('a database failure ends the stream with an error, so that the client reconnects', async () => {
    const { eventLog } = world.storage;
    const log = { ...eventLog, page: () => Promise.reject(new Error('connection lost')) };
    const { ended } = await listen({ log });
    assert.match(String(await ended), /connection lost/);
  });
});
