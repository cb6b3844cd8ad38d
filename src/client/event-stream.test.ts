import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Groundwatch } from './groundwatch.ts';

interface Asked {
  readonly after: string | null;
  readonly accept: string | null;
}

const message = (id: string): string => `id: ${id}\nevent: webhook.test\ndata: {"id":"${id}","é":"\\n"}\n\n`;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/**
 * Creates a client of a simulated service that answers the n-th call with the n-th of `answers`, and later calls with
 * status 401. An answer is an HTTP status, or the chunks of a stream. A stream ends after its last chunk, fails at the
 * chunk `break`, and stays open without further data at the chunk `hang`.
 */
function client(...answers: readonly (readonly (string | Uint8Array)[] | number)[]) {
  const asked: Asked[] = [];
  const groundwatch = new Groundwatch({
    baseUrl: 'https://gw.test',
    apiKey: 'k',
    retry: { retries: 0 },
    fetch: (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input);
      const accept = new Headers(init?.headers).get('accept');
      const answer = answers[asked.length];
      asked.push({ after: url.searchParams.get('after'), accept });
      if (answer === undefined || typeof answer === 'number')
        return Promise.resolve(
          Response.json({ error: { code: 'x', message: 'x' } }, { status: answer ?? 401 }),
        );
      const body = new ReadableStream<Uint8Array>({
        async start(controller) {
          init?.signal?.addEventListener('abort', () => controller.error(new Error('aborted')));
          for (const chunk of answer) {
            await new Promise((resolve) => setTimeout(resolve, 1));
            if (chunk === 'hang') return;
            if (chunk === 'break') return controller.error(new Error('connection reset'));
            controller.enqueue(typeof chunk === 'string' ? bytes(chunk) : chunk);
          }
          controller.close();
        },
      });
      return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
    },
  });
  return { groundwatch, asked };
}

/** Reads events until the service responds with an error. */
async function read(
  groundwatch: Groundwatch,
  after?: string,
  options: { silenceMs?: number } = {},
): Promise<string[]> {
  const ids: string[] = [];
  const stream = groundwatch.streamEvents(
    { ...(after !== undefined && { after }) },
    { reconnectMs: 1, ...options },
  );
  await assert.rejects(
    async () => {
      for await (const event of stream) ids.push(event.id);
    },
    { name: 'GroundwatchError' },
  );
  return ids;
}

test('messages are parsed wherever the chunks are split; heartbeats and unknown lines are skipped', async () => {
  const text = `retry: 2000\n\n:\n\nevent: hello\n\n${message('evt_1')}:\n\n${message('evt_2')}`;
  for (const size of [1, 3, 1000]) {
    const all = bytes(text);
    const chunks = Array.from({ length: Math.ceil(all.length / size) }, (_, i) =>
      all.subarray(i * size, (i + 1) * size),
    );
    const { groundwatch } = client(chunks);
    assert.deepEqual(await read(groundwatch), ['evt_1', 'evt_2']);
  }
});

test('after a stream ends, breaks or falls silent, a new one continues after the last event', async () => {
  const { groundwatch, asked } = client(
    [message('evt_1')],
    [message('evt_2'), message('evt_3').slice(0, 20), 'break'],
    [message('evt_3'), 'hang'],
    [message('evt_4')],
    401,
  );
  assert.deepEqual(await read(groundwatch, 'evt_0', { silenceMs: 50 }), ['evt_1', 'evt_2', 'evt_3', 'evt_4']);
  assert.deepEqual(
    asked.map(({ after }) => after),
    ['evt_0', 'evt_1', 'evt_2', 'evt_3', 'evt_4'],
  );
  assert.equal(asked[0]!.accept, 'text/event-stream');
});

test('a stream that cannot be opened gives an error', async () => {
  const { groundwatch, asked } = client(403);
  assert.deepEqual(await read(groundwatch), []);
  assert.equal(asked.length, 1);
});

test('the abort signal ends the stream while it waits and while it reads', async () => {
  const { groundwatch } = client([message('evt_1'), 'hang']);
  const stop = new AbortController();
  const ids: string[] = [];
  for await (const event of groundwatch.streamEvents({}, { signal: stop.signal })) {
    ids.push(event.id);
    setTimeout(() => stop.abort(), 5);
  }
  assert.deepEqual(ids, ['evt_1']);
});

test('leaving the loop closes the stream', async () => {
  const { groundwatch, asked } = client([message('evt_1'), message('evt_2'), 'hang']);
  for await (const event of groundwatch.streamEvents()) {
    assert.equal(event.id, 'evt_1');
    break;
  }
  assert.equal(asked.length, 1);
});
