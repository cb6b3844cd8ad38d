// Long file: the tests of the worker share the TLS receivers and the queue in memory.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { verifySignature } from '../client/signature.ts';
import { throwawayCertificate, tlsSink } from '../../test/fixtures/tls-sink.ts';
import type { Received, TlsSink } from '../../test/fixtures/tls-sink.ts';
import type { DeliveryQueue } from '../app/webhooks/delivery-queue.ts';
import { addressBlocks } from '../net/address-guard.ts';
import { type GuardedClient, guardedClient } from '../net/guarded-client.ts';
import type { Resolve } from '../net/guarded-connect.ts';
import type { Post } from './attempt.ts';
import { MemoryDeliveryQueue } from '../../test/fakes/memory-delivery-queue.ts';
import { newWebhookSecret } from './signature.ts';
import { startDeliveryWorker } from './worker.ts';
import type { DeliveryWorker, DeliveryWorkerOptions } from './worker.ts';

/** Longest pause of an endpoint that fails, in `endpoint-slots.ts` [ms]. */
const LONGEST_REST_MS = 10_000;
/** Time limit of an attempt, which no attempt that is answered may reach on a busy machine [ms]. */
const TIMEOUT_MS = 60_000;
/** Time limits where nothing answers [ms]: the next one where a busy machine has not asked within the one before. */
const HANGS_MS = [400, 2_000, 10_000] as const;
const clock = { now: () => Date.now() };
const certificate = await throwawayCertificate();
const clientOf = (timeoutMs: number): GuardedClient & AsyncDisposable => {
  const made = guardedClient({
    allow: addressBlocks(['127.0.0.1']),
    extraCa: certificate.caPem,
    timeoutMs,
    connectionsPerOrigin: 32,
  });
  return { ...made, [Symbol.asyncDispose]: () => made.close() };
};
const client = clientOf(TIMEOUT_MS);
after(() => client.close());

function worker(
  queue: DeliveryQueue,
  options: Partial<DeliveryWorkerOptions> = {},
): DeliveryWorker & AsyncDisposable {
  const started = startDeliveryWorker({
    queue,
    post: client.post,
    schedule: [0, 20, 20],
    userAgent: 'Groundwatch/test',
    clock,
    random: () => 0,
    onError: (error) => assert.fail(String(error)),
    pollMs: 10,
    ...options,
  });
  return { ...started, [Symbol.asyncDispose]: () => started.stop(0) };
}

/** A client that resolves names so. */
function guardedWith(resolve: Resolve): GuardedClient & AsyncDisposable {
  const made = guardedClient({
    allow: addressBlocks([]),
    timeoutMs: TIMEOUT_MS,
    connectionsPerOrigin: 1,
    resolve,
  });
  return { ...made, [Symbol.asyncDispose]: () => made.close() };
}

/** Makes a queue with one endpoint and `count` deliveries to this endpoint. */
function queueTo(url: string, secrets: readonly string[], count = 1): MemoryDeliveryQueue {
  const queue = new MemoryDeliveryQueue(clock);
  add(queue, 'wh_1', url, secrets, count);
  return queue;
}

function add(
  queue: MemoryDeliveryQueue,
  endpointId: string,
  url: string,
  secrets: readonly string[],
  count: number,
): void {
  queue.addEndpoint(endpointId, url, secrets);
  for (let i = 0; i < count; i++)
    queue.enqueue({
      id: `dlv_${endpointId}_${i}`,
      endpointId,
      eventId: `evt_${endpointId}_${i}`,
      body: `{"id":"evt_${endpointId}_${i}","data":{"name":"Žabljak"}}`,
    });
}

const urlOf = (sink: TlsSink): string => `https://127.0.0.1:${sink.port}/hook`;
const states = (queue: MemoryDeliveryQueue): readonly string[] =>
  [...queue.deliveries.values()].map(({ state }) => state);
const attempts = (queue: MemoryDeliveryQueue) =>
  [...queue.deliveries.values()].flatMap((delivery) => delivery.attempts);

async function until(condition: () => boolean, what: string): Promise<void> {
  const end = Date.now() + TIMEOUT_MS;
  while (!condition()) {
    if (Date.now() > end) assert.fail(`not within a minute: ${what}`);
    await delay(5);
  }
}

const settled = (queue: MemoryDeliveryQueue): Promise<void> =>
  until(() => !states(queue).includes('pending'), 'everything settled');

test('a delivery arrives once, signed by each secret over the bytes sent; standardwebhooks and svix verify it', async () => {
  await using sink = await tlsSink(certificate, (_, response) => response.writeHead(202).end('noted'));
  const secrets = [newWebhookSecret(), newWebhookSecret()];
  const queue = queueTo(urlOf(sink), secrets);
  await using _worker = worker(queue);
  await settled(queue);
  assert.deepEqual(states(queue), ['delivered']);
  const [{ body, headers }] = sink.received as [Received];
  assert.equal(sink.received.length, 1);
  assert.equal(headers['content-type'], 'application/json');
  assert.equal(headers['user-agent'], 'Groundwatch/test');
  assert.equal(headers['webhook-id'], 'evt_wh_1_0');
  const event = JSON.parse(body) as unknown;
  for (const secret of secrets) {
    // The signature is verified independently of the sender: by two public libraries and by our receiver library.
    assert.deepEqual(new Webhook(secret).verify(body, headers as Record<string, string>), event);
    new SvixWebhook(secret).verify(body, headers as Record<string, string>); // returns nothing; throws when the signature is wrong
    const header = headers['x-service-signature'] as string;
    assert.deepEqual(await verifySignature({ payload: body, header, secret }), event);
    assert.throws(() => new SvixWebhook(secret).verify(`${body} `, headers as Record<string, string>));
  }
  const [attempt] = attempts(queue);
  assert.equal(attempt?.status, 202);
  assert.equal(attempt.answer, 'noted');
  assert.equal(attempt.error, null);
  assert.ok(attempt.durationMs >= 0 && attempt.durationMs < TIMEOUT_MS);
});

test('a retry after 500 has the same event id with a new timestamp and signature', async () => {
  let times = 0;
  await using sink = await tlsSink(certificate, (_, response) =>
    response.writeHead((times += 1) === 1 ? 500 : 200).end('x'),
  );
  const secret = newWebhookSecret();
  const queue = queueTo(urlOf(sink), [secret]);
  let nowMs = Date.now();
  // The clock advances a second at each call, so that the two attempts have different timestamps.
  await using _worker = worker(queue, { clock: { now: () => (nowMs += 1_000) }, schedule: [0, 0] });
  Object.defineProperty(queue.deliveries.get('dlv_wh_1_0'), 'dueAtMs', { get: () => 0, set: () => {} });
  await settled(queue);
  assert.deepEqual(states(queue), ['delivered']);
  const [first, second] = sink.received;
  assert.equal(first?.headers['webhook-id'], second?.headers['webhook-id']);
  assert.equal(first?.body, second?.body);
  assert.notEqual(first?.headers['webhook-timestamp'], second?.headers['webhook-timestamp']);
  assert.notEqual(first?.headers['x-service-signature'], second?.headers['x-service-signature']);
  for (const { body, headers } of sink.received)
    new Webhook(secret).verify(body, headers as Record<string, string>);
  assert.deepEqual(
    attempts(queue).map(({ status, error }) => [status, error]),
    [
      [500, 'answered 500'],
      [200, null],
    ],
  );
  assert.equal(queue.endpoints.get('wh_1')?.failingSinceMs, null);
});

/** Receivers that fail every delivery, and the logged error of each. */
const FAILURES: readonly {
  readonly name: string;
  readonly answer: Parameters<typeof tlsSink>[1];
  readonly status: number | null;
  readonly error: RegExp;
}[] = [
  {
    name: '301',
    answer: (_, response) => response.writeHead(301, { location: 'https://127.0.0.1/' }).end(),
    status: 301,
    error: /^answered 301; redirects are not followed$/,
  },
  {
    name: '503',
    answer: (_, response) => response.writeHead(503).end(),
    status: 503,
    error: /^answered 503$/,
  },
  { name: 'a hang', answer: () => {}, status: null, error: /^no whole answer within the time limit$/ },
  {
    name: 'garbage',
    answer: (_, response) => response.socket?.end('220 mail.example ESMTP\r\n'),
    status: null,
    error: /^Response does not match the HTTP\/1.1 protocol/,
  },
  {
    name: 'a close in mid-answer',
    answer: (_, response) => {
      response.writeHead(200, { 'content-length': 10 });
      response.write('half');
      setImmediate(() => response.destroy());
    },
    status: null,
    error: /\(UND_ERR_SOCKET\)|ECONNRESET/,
  },
  {
    name: 'a reset',
    answer: (_, response) => response.socket?.destroy(),
    status: null,
    error: /UND_ERR_SOCKET|ECONNRESET/,
  },
];

for (const { name, answer, status, error } of FAILURES)
  test(`${name} is retried on the schedule, then dead, each attempt recorded`, async () => {
    for (const limitMs of name === 'a hang' ? HANGS_MS : [TIMEOUT_MS]) {
      await using sink = await tlsSink(certificate, answer);
      await using sender = clientOf(limitMs);
      const queue = queueTo(urlOf(sink), [newWebhookSecret()]);
      const startedMs = Date.now();
      await using _worker = worker(queue, { post: sender.post });
      await settled(queue);
      if (sink.received.length < 3 && limitMs < HANGS_MS.at(-1)!) continue;
      assert.deepEqual(states(queue), ['dead']);
      assert.equal(sink.received.length, 3);
      for (const attempt of attempts(queue)) {
        assert.equal(attempt.status, status);
        assert.match(attempt.error ?? '', error);
      }
      const [first, second, third] = attempts(queue).map(({ startedAtMs }) => startedAtMs);
      assert.ok(second! - first! >= 20 && third! - second! >= 20, 'earlier than the schedule');
      assert.ok(queue.endpoints.get('wh_1')!.failingSinceMs! >= startedMs);
      return;
    }
  });

test('an invalid certificate and a private address are failures whose errors reveal nothing', async () => {
  await using stranger = await tlsSink(await throwawayCertificate());
  const queue = queueTo(urlOf(stranger), [newWebhookSecret()]);
  add(queue, 'wh_2', `https://127.0.0.2:${stranger.port}/`, [newWebhookSecret()], 1);
  await using _worker = worker(queue);
  await settled(queue);
  assert.deepEqual(states(queue), ['dead', 'dead']);
  assert.equal(stranger.received.length, 0);
  const errors = attempts(queue).map(({ error }) => error ?? '');
  assert.match(errors[0]!, /^unable to verify the first certificate \(UNABLE_TO_VERIFY_LEAF_SIGNATURE\)$/);
  assert.equal(errors[3], 'no public address is found for 127.0.0.2 (NO_PUBLIC_ADDRESS)');
});

test('an error tells the owner nothing about names inside the network of the service, and the operator the reason', async () => {
  const failed = (code: string) =>
    Object.assign(new Error(`getaddrinfo ${code}`), { code, syscall: 'getaddrinfo' });
  const answers: Readonly<Record<string, string | Error>> = {
    'inner.test': '10.0.0.5',
    'metadata.test': '169.254.169.254',
    'absent.test': failed('ENOTFOUND'),
    'hidden.test': failed('EAI_AGAIN'),
  };
  await using inner = guardedWith((hostname, callback) => {
    const answer = answers[hostname]!;
    if (answer instanceof Error) callback(answer, []);
    else callback(null, [{ address: answer, family: 4 }]);
  });
  const queue = new MemoryDeliveryQueue(clock);
  for (const host of Object.keys(answers)) add(queue, host, `https://${host}/`, [newWebhookSecret()], 1);
  const told = new Map<string, string>();
  await using _worker = worker(queue, {
    post: inner.post,
    onNoAddress: (endpoint, reason) => void told.set(endpoint, reason),
  });
  await settled(queue);
  const seen = [...queue.deliveries.values()].flatMap((delivery) =>
    delivery.attempts.map(({ status, answer, error }) => [
      status,
      answer,
      error?.replace(delivery.endpointId, 'HOST'),
    ]),
  );
  assert.equal(seen.length, 12);
  for (const each of seen)
    assert.deepEqual(each, [null, '', 'no public address is found for HOST (NO_PUBLIC_ADDRESS)']);
  assert.deepEqual(Object.fromEntries(told), {
    'inner.test': 'inner.test does not stand for a public address: 10.0.0.5',
    'metadata.test': 'metadata.test does not stand for a public address: 169.254.169.254',
    'absent.test': 'getaddrinfo ENOTFOUND',
    'hidden.test': 'getaddrinfo EAI_AGAIN',
  });
});

test('410 disables the endpoint and ends its pending deliveries', async () => {
  await using sink = await tlsSink(certificate, (_, response) => response.writeHead(410).end());
  const queue = queueTo(urlOf(sink), [newWebhookSecret()], 40);
  await using _worker = worker(queue);
  await settled(queue);
  assert.deepEqual(new Set(states(queue)), new Set(['dead']));
  assert.equal(queue.endpoints.get('wh_1')?.disabled, 'gone');
  assert.ok(sink.received.length <= 8, 'sent on after the endpoint was gone');
});

test('a Retry-After of 429 and 503 is respected, up to the longest delay of the schedule', async () => {
  let times = 0;
  await using sink = await tlsSink(certificate, (_, response) => {
    times += 1;
    if (times === 1) response.writeHead(429, { 'retry-after': '3600' }).end();
    else if (times === 2) response.writeHead(503, { 'retry-after': 'soon' }).end();
    else response.end();
  });
  const queue = queueTo(urlOf(sink), [newWebhookSecret()]);
  const dueAtMs: number[] = [];
  const settling: DeliveryQueue = {
    claim: (request) => queue.claim(request),
    release: (deliveries) => queue.release(deliveries),
    settle: (settlements) => {
      for (const { verdict, attempt } of settlements)
        if (verdict.kind === 'retry')
          dueAtMs.push(verdict.dueAtMs - attempt.startedAtMs - attempt.durationMs);
      // All deliveries become due at once, so that the test does not wait for the pause.
      return queue
        .settle(settlements)
        .then(() => queue.deliveries.forEach((delivery) => (delivery.dueAtMs = 0)));
    },
  };
  await using started = worker(settling, { schedule: [0, 10, 90_000, 10], pollMs: 10 });
  await until(() => dueAtMs.length === 1, 'the first answer');
  assert.deepEqual(dueAtMs, [90_000], 'an hour is more than this schedule ever waits');
  await started.stop(0);
  await using _again = worker(settling, { schedule: [0, 10, 90_000, 10], pollMs: 10 });
  await settled(queue);
  assert.deepEqual(dueAtMs, [90_000, 90_000], 'what cannot be read is no wish');
});

test('five days without a success disable the endpoint', async () => {
  await using sink = await tlsSink(certificate, (_, response) => response.writeHead(500).end());
  const queue = queueTo(urlOf(sink), [newWebhookSecret()]);
  queue.endpoints.get('wh_1')!.failingSinceMs = Date.now() - 5 * 86_400_000;
  await using _worker = worker(queue);
  await settled(queue);
  assert.equal(queue.endpoints.get('wh_1')?.disabled, 'failing');
  assert.equal(sink.received.length, 1);
});

test('receivers that hang leave the quick lane, then are paused, then get one delivery at a time', async (t) => {
  // A pause ends by this clock, which the test puts forward.
  const begun = performance.now();
  let aheadMs = 0;
  t.mock.method(performance, 'now', () => begun + aheadMs);
  const queue = new MemoryDeliveryQueue(clock);
  for (let i = 0; i < 3; i++)
    add(queue, `wh_hang${i}`, `https://hang${i}.example/`, [newWebhookSecret()], 40);
  add(queue, 'wh_healthy', 'https://healthy.example/', [newWebhookSecret()], 100);
  let hanging: PromiseWithResolvers<never>[] = [];
  const post: Post = (url) => {
    if (url.includes('healthy')) return Promise.resolve({ status: 200, excerpt: '' });
    const hang = Promise.withResolvers<never>();
    hanging.push(hang);
    return hang.promise;
  };
  // The quick lane is smaller than the 24 slots of the three hanging receivers, so they fill it until they are slow.
  await using _worker = worker(queue, { post, lanes: { quick: 16 }, slowMs: 50, schedule: [0, 60_000] });
  const delivered = (): number => states(queue).filter((state) => state === 'delivered').length;
  await until(() => delivered() === 100, 'every delivery to the healthy receiver, while the others hang');
  await until(() => hanging.length === 24, 'eight each, of which nothing is known');
  const first = hanging;
  hanging = [];
  for (const { reject } of first) reject(new Error('timed out'));
  await until(() => attempts(queue).length === 124, 'the failures recorded');
  await delay(100); // long enough for several polls
  assert.equal(hanging.length, 0, 'the circuit is open');
  aheadMs = LONGEST_REST_MS;
  await until(() => hanging.length === 3, 'one try each');
  await delay(100); // long enough for several polls
  assert.equal(hanging.length, 3);
});

test('the worker has no more attempts under way than its quick lane allows', async () => {
  const queue = new MemoryDeliveryQueue(clock);
  for (let i = 0; i < 5; i++) add(queue, `wh_${i}`, `https://r${i}.example/`, [newWebhookSecret()], 30);
  let underWay = 0;
  let most = 0;
  const post: Post = async () => {
    underWay += 1;
    most = Math.max(most, underWay);
    await delay(3);
    underWay -= 1;
    return { status: 200, excerpt: '' };
  };
  await using _worker = worker(queue, { post, lanes: { quick: 12 }, pollMs: 600_000 });
  await settled(queue); // returns within a minute, so the worker did not wait for the poll
  assert.equal(most, 12);
});

test('wake queries the queue at once', async () => {
  const queue = new MemoryDeliveryQueue(clock);
  await using started = worker(queue, {
    pollMs: 600_000,
    post: () => Promise.resolve({ status: 200, excerpt: '' }),
  });
  await delay(20);
  add(queue, 'wh_1', 'https://r.example/', [newWebhookSecret()], 1);
  started.wake();
  await settled(queue);
});

test('stop waits for attempts under way and claims nothing more', async () => {
  const queue = queueTo('https://r.example/', [newWebhookSecret()], 10);
  const finish = Promise.withResolvers<{ status: number; excerpt: string }>();
  const started = worker(queue, { post: () => finish.promise });
  await until(() => [...queue.deliveries.values()].some(({ lease }) => lease !== null), 'something claimed');
  const stopped = started.stop(TIMEOUT_MS);
  finish.resolve({ status: 200, excerpt: '' }); // after the stop has begun, so nothing takes the place of what ends
  await stopped;
  const delivered = states(queue).filter((state) => state === 'delivered').length;
  assert.equal(delivered, 8);
  assert.ok([...queue.deliveries.values()].every(({ lease }) => lease === null));
});

test('stop returns deliveries that do not finish in time, and another worker sends them', async () => {
  const queue = queueTo('https://r.example/', [newWebhookSecret()]);
  const finish = Promise.withResolvers<{ status: number; excerpt: string }>();
  const started = worker(queue, { post: () => finish.promise });
  await until(() => queue.deliveries.get('dlv_wh_1_0')!.lease !== null, 'claimed');
  await started.stop(20);
  assert.equal(queue.deliveries.get('dlv_wh_1_0')!.lease, null);
  await using _other = worker(queue, { post: () => Promise.resolve({ status: 200, excerpt: '' }) });
  await settled(queue);
  finish.resolve({ status: 500, excerpt: '' }); // too late: the lease of the delivery was returned
  await delay(20);
  assert.deepEqual(states(queue), ['delivered']);
  assert.deepEqual(
    attempts(queue).map(({ status }) => status),
    [200],
  );
});

test('a failure of the queue is reported and retried, and no settlement is lost', async () => {
  const memory = queueTo('https://r.example/', [newWebhookSecret()], 3);
  let down = 3;
  const broken = (): void => {
    if (down > 0) {
      down -= 1;
      throw new Error('connection lost');
    }
  };
  const queue: DeliveryQueue = {
    claim: async (request) => (broken(), memory.claim(request)),
    settle: async (settlements) => (broken(), memory.settle(settlements)),
    release: (deliveries) => memory.release(deliveries),
  };
  const told: unknown[] = [];
  let posts = 0;
  const post: Post = () => {
    posts += 1;
    down = posts === 3 ? 1 : down; // the queue fails once more, at the next settlement or claim
    return Promise.resolve({ status: 200, excerpt: '' });
  };
  await using _worker = worker(queue, { post, onError: (error) => told.push(error) });
  await settled(memory);
  assert.equal(posts, 3);
  assert.equal(told.length, 4);
  assert.deepEqual(states(memory), ['delivered', 'delivered', 'delivered']);
});

test('an attempt that outlives its lease continues under the next lease and is not repeated', async () => {
  const queue = queueTo('https://r.example/', [newWebhookSecret()]);
  let posts = 0;
  const post: Post = async () => {
    posts += 1;
    await delay(200);
    return { status: 200, excerpt: '' };
  };
  await using _worker = worker(queue, { post, leaseMs: 30 });
  await settled(queue);
  await delay(60);
  assert.equal(posts, 1);
  assert.equal(attempts(queue).length, 1);
});

test('after an outage longer than the leases, finished deliveries are settled before new ones are claimed', async () => {
  const memory = queueTo('https://r.example/', [newWebhookSecret()], 3);
  let away = false;
  const queue: DeliveryQueue = {
    claim: async (request) => {
      if (away) throw new Error('connection lost');
      return memory.claim(request);
    },
    settle: async (settlements) => {
      if (away) throw new Error('connection lost');
      return memory.settle(settlements);
    },
    release: (deliveries) => memory.release(deliveries),
  };
  let posts = 0;
  const post: Post = () => {
    posts += 1;
    if (posts === 1) {
      away = true;
      setTimeout(() => (away = false), 300);
    }
    return Promise.resolve({ status: 200, excerpt: '' });
  };
  await using _worker = worker(queue, { post, leaseMs: 100, onError: () => undefined });
  await settled(memory);
  await delay(60);
  assert.equal(posts, 3);
  assert.equal(attempts(memory).length, 3);
});
