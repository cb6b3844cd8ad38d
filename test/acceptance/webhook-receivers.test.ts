import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { newWebhookSecret, signatureHeaders } from '../../src/webhooks/signature.ts';
import { freePort } from '../fixtures/free-port.ts';

const ROOT = join(import.meta.dirname, '../..');
const START_MS = 240_000; // timeout for the start of a receiver: Go compiles it first, and the machine may be busy

/**
 * The receivers in docs/webhooks.md, each with its file and the command that starts it. A receiver is skipped when the
 * program of its command is not installed.
 */
const RECEIVERS = [
  { name: 'TypeScript', file: 'receiver.ts', command: [process.execPath] },
  { name: 'Python', file: 'receiver.py', command: ['python3'] },
  { name: 'Go', file: 'receiver.go', command: ['go', 'run'] },
] as const;

describe('the receivers of docs/webhooks.md take what is signed and refuse everything else', () => {
  let folder: string;
  let page: string;
  const children: ChildProcess[] = [];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-receivers-'));
    page = await readFile(join(ROOT, 'docs/webhooks.md'), 'utf8');
  });
  after(async () => {
    // `go run` starts the program as its own child, so the whole process group is killed.
    for (const { pid } of children) if (pid !== undefined) killGroup(pid);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  /** Writes the source of a receiver from docs/webhooks.md to its file and starts it. @returns its address */
  async function start(file: string, command: readonly string[], secret: string): Promise<string> {
    const [, source] = new RegExp(`<!-- ${file.replace('.', '\\.')} -->\n\n\`\`\`\\w+\n([^]*?)\n\`\`\``).exec(
      page,
    )!;
    // The client is not installed as a package here, so it is imported from its source.
    const client = pathToFileURL(join(ROOT, 'src/client/index.ts')).href;
    await writeFile(join(folder, file), source!.replace("'groundwatch-client'", `'${client}'`));
    const port = await freePort();
    const [program, ...words] = command;
    const child = spawn(program!, [...words, join(folder, file)], {
      env: {
        ...process.env,
        WEBHOOK_SECRET: secret,
        PORT: String(port),
        GOFLAGS: '-mod=mod',
        GO111MODULE: 'off',
      },
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    });
    children.push(child);
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    const url = `http://127.0.0.1:${port}/`;
    const until = Date.now() + START_MS;
    while (!(await answers(url))) {
      assert.equal(child.exitCode, null, said);
      assert.ok(Date.now() < until, `it did not start: ${said}`);
      await sleep(50);
    }
    return url;
  }

  for (const { name, file, command } of RECEIVERS)
    test(name, { timeout: START_MS + 60_000 }, async (t) => {
      if (spawnSync(command[0], [command[0] === 'go' ? 'version' : '--version']).status !== 0) {
        t.skip(`${command[0]} is not installed`);
        return;
      }
      const secret = newWebhookSecret();
      const url = await start(file, command, secret);
      const body = '{"id":"evt_1","type":"webhook.test","data":{"name":"Žabljak"}}';
      const now = Math.floor(Date.now() / 1000);
      const send = async (
        over: { secrets?: readonly string[]; timestamp?: number; body?: string; header?: string } = {},
      ): Promise<number> => {
        const headers = signatureHeaders({
          eventId: 'evt_1',
          timestamp: over.timestamp ?? now,
          body: Buffer.from(body),
          secrets: over.secrets ?? [secret],
        });
        const given = over.header === undefined ? headers : { 'x-service-signature': over.header };
        return (await fetch(url, { method: 'POST', headers: given, body: over.body ?? body })).status;
      };
      assert.equal(await send(), 204);
      assert.equal(await send(), 204, 'again, as it may come twice');
      assert.equal(
        await send({ secrets: [newWebhookSecret(), secret] }),
        204,
        'while another secret takes over',
      );
      assert.equal(await send({ timestamp: now - 290 }), 204);
      const forged = [
        { secrets: [newWebhookSecret()] },
        { body: body.replace('evt_1', 'evt_2') },
        { body: `${body} ` },
        { timestamp: now - 320 },
        { timestamp: now + 320 },
        { header: '' },
        { header: `t=${now}` },
        { header: 't=x,v1=00' },
        { header: `t=${now},v1=${'0'.repeat(64)}` },
      ];
      for (const over of forged) assert.equal(await send(over), 400, JSON.stringify(over));
    });
});

async function answers(url: string): Promise<boolean> {
  try {
    await fetch(url, { method: 'POST', body: '' });
    return true;
  } catch {
    return false;
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}
