// Runs the steps of the Dockerfile without a container engine, and the image that they make: in a root of its own made
// of mounts, as another user, in empty folders. Then starts the service in it with a root that cannot be written, on a
// database that this script starts. Needs root, and the right to mount; says what it skips without them.
import { spawnSync, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startEmbeddedPostgres } from '../src/store/server/embedded-postgres.ts';
import { type Instruction, parseDockerfile } from './image/dockerfile.ts';
import { inRoot, makeRoot, PATH, rootedCommand, USER } from './image/mounted-root.ts';

const REPOSITORY = join(import.meta.dirname, '..');
const START_MS = 400_000;
const STOP_MS = 240_000;

if (process.getuid?.() !== 0 || spawnSync('unshare', ['--mount', 'true']).status !== 0) {
  process.stdout.write('SKIPPED: the image is not tried; only root can mount, and not in every container\n');
  process.exit(0);
}

const work = mkdtempSync(join(tmpdir(), 'groundwatch-image-'));
chmodSync(work, 0o755);
const began = performance.now();
try {
  const stages = parseDockerfile(readFileSync(join(REPOSITORY, 'Dockerfile'), 'utf8'));
  const roots = new Map<string, string>();
  let last = '';
  let settings: Readonly<Record<string, string>> = {};
  let command: readonly string[] = [];
  for (const [i, { name = String(i), instructions }] of stages.entries()) {
    last = join(work, name);
    roots.set(name, last);
    makeRoot(last);
    const made = build(last, roots, instructions);
    settings = made.settings;
    command = made.command;
  }
  say('the image is built');
  compareBill(last);
  say('its packages are those of the bill of materials');
  await tryImage(last, settings, command);
} finally {
  rmSync(work, { recursive: true, force: true, maxRetries: 5 });
}

function say(text: string): void {
  process.stdout.write(`${text} (${Math.round((performance.now() - began) / 1000)} s)\n`);
}

/** Carries out the instructions of a stage. */
function build(root: string, all: ReadonlyMap<string, string>, instructions: readonly Instruction[]) {
  let folder = '/';
  let user = 0;
  const settings: Record<string, string> = {};
  let entry: readonly string[] = [];
  let options: readonly string[] = [];
  for (const { word, flags, operands, text } of instructions)
    switch (word) {
      case 'WORKDIR':
        folder = text;
        mkdirSync(join(root, folder), { recursive: true });
        // A build writes only what belongs to it, so it needs no rights over the machine.
        if (user === 0) chownSync(join(root, folder), USER, USER);
        break;
      case 'COPY': {
        const from = flags.get('from');
        const base = from === undefined ? REPOSITORY : all.get(from)!;
        const target = join(root, folder, operands.at(-1)!);
        for (const source of operands.slice(0, -1))
          copy(base, source, target, from === undefined, operands.length > 2);
        break;
      }
      case 'RUN':
        // Where the Dockerfile makes folders of other users, it is root there too.
        inRoot(root, folder, text.startsWith('install ') ? 0 : USER, ['sh', '-e', '-c', text]);
        break;
      case 'ENV':
        for (const [name, value] of operands.map((one) => one.split('=') as [string, string]))
          settings[name] = value;
        break;
      case 'USER':
        user = Number(text.split(':')[0]);
        break;
      case 'ENTRYPOINT':
        entry = JSON.parse(text) as string[];
        break;
      case 'CMD':
        options = JSON.parse(text) as string[];
        break;
      case 'VOLUME':
      case 'EXPOSE':
      case 'HEALTHCHECK':
        break;
      default:
        throw new Error(`${word}: this script does not know the instruction`);
    }
  return { settings, command: [...entry, ...options] };
}

function copy(base: string, source: string, target: string, isContext: boolean, isFolder: boolean): void {
  if (source === '.' && isContext) {
    const listed = spawnSync('git', ['-c', `safe.directory=${base}`, 'ls-files', '-z'], {
      cwd: base,
      encoding: 'utf8',
    });
    for (const file of listed.stdout.split('\0').filter((one) => one !== '' && !isIgnored(one))) {
      if (!existsSync(join(base, file))) continue;
      mkdirSync(dirname(join(target, file)), { recursive: true });
      copyFileSync(join(base, file), join(target, file));
    }
  } else {
    const isInto = isFolder || target.endsWith('/');
    const to = isInto && statSync(join(base, source)).isFile() ? join(target, basename(source)) : target;
    mkdirSync(dirname(to), { recursive: true });
    cpSync(join(base, source), to, { recursive: true, verbatimSymlinks: true });
  }
  spawnSync('chown', ['-R', isContext ? `${USER}:${USER}` : '0:0', target]);
}

/** Whether .dockerignore leaves a file out. */
function isIgnored(file: string): boolean {
  const patterns = readFileSync(join(REPOSITORY, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return patterns.some((pattern) => file === pattern || file.startsWith(`${pattern}/`));
}

/** Compares the packages of the image with the bill of materials. */
function compareBill(root: string): void {
  const file = join(work, 'sbom.json');
  const { status, stderr } = spawnSync(process.execPath, [join(REPOSITORY, 'scripts/sbom.ts'), file], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  const { components } = JSON.parse(readFileSync(file, 'utf8')) as { components: { 'bom-ref': string }[] };
  const { packages } = JSON.parse(
    readFileSync(join(root, 'app/node_modules/.package-lock.json'), 'utf8'),
  ) as {
    packages: Readonly<Record<string, { readonly version: string }>>;
  };
  const installed = Object.entries(packages).map(
    ([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`,
  );
  const billed = new Set(components.map((component) => component['bom-ref']));
  const strays = [
    ...installed.filter((one) => !billed.has(one)),
    ...[...billed].filter((one) => !installed.includes(one)),
  ];
  if (strays.length > 0) throw new Error(`in the image or the bill only: ${strays.join(', ')}`);
  const licences = readFileSync(join(root, 'app/dist/third-party-licences.txt'), 'utf8');
  const bundled = [...licences.matchAll(/^(\S+) (\S+)\nLicence: /gm)].map(
    // npm writes 2024.04.13 as 2024.4.13
    ([, name, version]) => `${name}@${version!.replaceAll(/\.0+(?=\d)/g, '.')}`,
  );
  const unbilled = bundled.filter((one) => !billed.has(one));
  if (bundled.length === 0 || unbilled.length > 0)
    throw new Error(`bundled, and not in the bill: ${unbilled.join(', ') || 'no package is bundled'}`);
}

/** Starts the service of the image with a root that cannot be written, and stops it. */
async function tryImage(
  root: string,
  settings: Readonly<Record<string, string>>,
  command: readonly string[],
): Promise<void> {
  const folder = join(work, 'server');
  mkdirSync(folder, { mode: 0o755 });
  const silent = { info: () => undefined, warn: () => undefined };
  const server = await startEmbeddedPostgres({ dataFolder: folder, log: silent, settings: { fsync: 'off' } });
  try {
    const { host, port, user, password } = server.connection;
    // The server and the service are different users here.
    chmodSync(host, 0o755);
    chmodSync(join(host, `.s.PGSQL.${port}`), 0o777);
    mkdirSync(join(root, 'run/database'), { recursive: true });
    const url = new URL(`postgres://localhost:${port}/postgres?host=/run/database`);
    Object.assign(url, { username: user, ...(password !== undefined && { password }) });
    const environment = {
      PATH,
      ...settings,
      DATABASE_URL: url.href,
      GROUNDWATCH_SANDBOX: 'off',
      GROUNDWATCH_PORT: String(20_000 + (randomBytes(2).readUInt16LE() % 10_000)),
    };
    const data = settings['GROUNDWATCH_DATA']!;
    const mounts = [
      `mount --bind "${host}" "$R/run/database"`,
      'mount -t tmpfs tmpfs "$R/tmp"',
      `mount -t tmpfs -o mode=0700,uid=${USER},gid=${USER} tmpfs "$R${data}"`,
      'mount -o remount,bind,ro "$R"',
    ].join('\n');
    const [program, ...words] = rootedCommand(root, '/app', USER, command, mounts);
    const child = spawn(program!, words, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (bytes: Buffer) => (said += String(bytes)));
    try {
      await untilHealthy(child, root, environment, () => said);
      say('it is ready, as a user without rights and with a root that cannot be written');
      checkProcess(child, root);
    } finally {
      child.kill('SIGTERM');
    }
    const [status] = (await Promise.race([
      once(child, 'exit'),
      delay(STOP_MS, ['not stopped'], { ref: false }),
    ])) as [unknown];
    if (status !== 0) throw new Error(`SIGTERM: expected it to end with 0, got ${String(status)}\n${said}`);
    say('it ended in order after SIGTERM');
  } finally {
    await server.stop();
  }
}

/** Waits until the HEALTHCHECK of the image says that the service is ready. */
async function untilHealthy(
  child: ChildProcess,
  root: string,
  env: Readonly<Record<string, string>>,
  said: () => string,
): Promise<void> {
  const [program, ...words] = rootedCommand(root, '/app', USER, ['node', '/app/bin/health.js']);
  const until = Date.now() + START_MS;
  while (spawnSync(program!, words, { env }).status !== 0) {
    if (child.exitCode !== null || Date.now() > until)
      throw new Error(`it does not become ready:\n${said()}`);
    await delay(200);
  }
}

/** The service runs as the user of the image, and the files of the image are not its own. */
function checkProcess({ pid }: ChildProcess, root: string): void {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  if (!new RegExp(`^Uid:\\t${USER}\\t${USER}\\t`, 'm').test(status))
    throw new Error(`it runs as another user:\n${status}`);
  if (!/^CapEff:\t0+$/m.test(status)) throw new Error(`it has rights of root:\n${status}`);
  const mounts = readFileSync(`/proc/${pid}/mounts`, 'utf8')
    .split('\n')
    .map((line) => line.split(' '));
  const options = mounts.findLast(([, target]) => target === '/' || target === root)?.[3];
  if (options?.split(',').includes('ro') !== true) throw new Error(`its root can be written: ${options}`);
  if (statSync(join(root, 'app/dist')).uid !== 0) throw new Error('it owns the files of the image');
}
