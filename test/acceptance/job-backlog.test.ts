import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newId } from '../../src/base/ids.ts';
import { addJob } from '../../src/store/jobs/job-rows.ts';
import { startService, type TestService } from '../fixtures/service.ts';
import { NATS_PROGRAM, natsServer, type NatsServer } from '../fixtures/nats-server.ts';

const SQUARE = {
  type: 'Polygon',
  coordinates: [
    [
      [14, 46],
      [14.01, 46],
      [14.01, 46.01],
      [14, 46.01],
      [14, 46],
    ],
  ],
};

describe(
  'a service whose jobs NATS delivers',
  {
    skip: NATS_PROGRAM === undefined && 'SKIPPED: nats-server is not installed',
  },
  () => {
    let nats: NatsServer;
    let service: TestService;
    let key: string;
    let account: string;
    before(async () => {
      nats = await natsServer();
      service = await startService({ NATS_URL: nats.url, GROUNDWATCH_JOBS_BACKLOG: '2' });
      account = String((await service.cli('accounts', 'create', 'acme'))['id']);
      const made = await service.cli(
        'keys',
        'create',
        '--account',
        'acme',
        '--environment',
        'production',
        '--scopes',
        'all',
      );
      key = String(made['key']);
    });
    after(async () => {
      await service.stop();
      await nats.remove();
    });
    const post = (path: string, body: object) => service.call(path, { method: 'POST', key, json: body });

    test('a subscription queues a job, which is run; a full backlog refuses others with Retry-After until it has room', async () => {
      const aoi = (await post('/v1/aois', { name: 'a', geometry: SQUARE })).json() as { id: string };
      const asked = { aoi_id: aoi.id, perils: ['flood'] };
      const { database } = await service.backstage();
      const jobs = () => database.db.selectFrom('jobs').select(['id', 'engine']).execute();
      assert.equal((await post('/v1/anomalies/subscribe', asked)).status, 201);
      for (let tries = 0; (await jobs()).length > 0; tries++) {
        assert.ok(tries < 2_400, JSON.stringify(await jobs()));
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      // Jobs that are not due for an hour. They are so from the commit on, or one could be sent and done before.
      const owner = { accountId: account, environment: 'production' } as const;
      await database.db.transaction().execute(async (transaction) => {
        for (const subject of [newId('aoi'), newId('aoi')]) {
          const data = { ...owner, aoiId: subject };
          await addJob(transaction, { kind: 'refresh-anomalies', subject, owner, priority: 'new', data });
        }
        await transaction
          .updateTable('jobs')
          .set({ run_at: new Date(Date.now() + 3_600_000) })
          .execute();
      });
      const refused = await post('/v1/anomalies/subscribe', { ...asked, perils: ['wildfire'] });
      assert.equal(refused.status, 429);
      assert.match(String(refused.headers['retry-after']), /^(?:59|60|61)$/);
      assert.match(refused.text, /rate_limited.*GROUNDWATCH_JOBS_BACKLOG/);
      const told = await service.cli('nodes');
      const kinds = told['jobs'] as readonly { kind: string; waiting: number }[];
      assert.equal(kinds.find(({ kind }) => kind === 'refresh-anomalies')?.waiting, 2);
      await database.db.deleteFrom('jobs').execute();
      assert.equal((await post('/v1/anomalies/subscribe', { ...asked, perils: ['wildfire'] })).status, 201);
    });
  },
);
