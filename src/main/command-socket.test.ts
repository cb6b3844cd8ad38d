import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type CommandOffer, type CommandRequest, offerCommands, runInService } from './command-socket.ts';

describe('commands that a running service runs', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gw-commands-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const request: CommandRequest = {
    version: '1.0.0',
    settings: { GROUNDWATCH_PORT: '0' },
    user: 'ada',
    argv: ['keys', 'list'],
  };
  /** Offers commands, and keeps which of them were run. */
  async function offering(run: CommandOffer['run'] = async () => 0) {
    const done: CommandRequest[] = [];
    const end = await offerCommands(folder, {
      version: '1.0.0',
      settings: { GROUNDWATCH_PORT: '0', GROUNDWATCH_SANDBOX: 'off' },
      accepts: ([family]) => family === 'keys',
      run: (asked, output) => {
        done.push(asked);
        return run(asked, output);
      },
    });
    return { done, end };
  }
  async function ask(asked: CommandRequest) {
    const lines: string[] = [];
    const code = await runInService(folder, asked, {
      out: (text) => lines.push(`out ${text}`),
      err: (text) => lines.push(`err ${text}`),
    });
    return { code, lines };
  }

  test('lines and the exit code come back, and the service learns who asked', async () => {
    const { done, end } = await offering(async ({ user }, output) => {
      output.out(`for ${user}\nin two lines`);
      output.err('careful');
      return 2;
    });
    assert.deepEqual(await ask(request), { code: 2, lines: ['out for ada\nin two lines', 'err careful'] });
    assert.deepEqual(done, [request]);
    assert.equal((await stat(join(folder, 'commands.sock'))).mode & 0o777, 0o600);
    await end();
    assert.deepEqual(await ask(request), { code: undefined, lines: [] });
  });

  test('another release, another setting and another command are declined, and nothing is run', async () => {
    const { done, end } = await offering();
    for (const asked of [
      { ...request, version: '1.0.1' },
      { ...request, settings: { GROUNDWATCH_PORT: '1' } },
      { ...request, settings: { DATABASE_URL: 'postgres://elsewhere/db' } },
      { ...request, argv: ['backup', 'file'] },
    ])
      assert.equal((await ask(asked)).code, undefined, JSON.stringify(asked));
    assert.deepEqual(done, []);
    await end();
  });

  test('a caller that leaves before it says go has nothing run', async () => {
    const { done, end } = await offering();
    const socket = connect(join(folder, 'commands.sock'));
    socket.write(`${JSON.stringify(request)}\n`);
    await once(socket, 'data');
    socket.destroy();
    assert.equal((await ask(request)).code, 0);
    assert.equal(done.length, 1, 'that of the second caller');
    await end();
  });

  test('a service that ends during a command is told of; what is no request is dropped', async () => {
    const { end } = await offering(() => new Promise<number>(() => void end()));
    const { code, lines } = await ask(request);
    assert.equal(code, 1);
    assert.match(lines.join(), /the service ended before the command did/);
    const { done, end: endSecond } = await offering();
    for (const bytes of ['no json\n', '\n', 'null\n', '[]\n', '{}\n', 'x'.repeat(200_000)]) {
      const socket = connect(join(folder, 'commands.sock')).resume();
      const closed = new Promise((resolve) => {
        socket.on('error', () => undefined).once('close', resolve);
      });
      socket.write(bytes);
      await closed;
    }
    assert.deepEqual(done, []);
    assert.equal((await ask(request)).code, 0);
    await endSecond();
  });
});
