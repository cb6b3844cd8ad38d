import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** User and group of the image: `node` in Node's images. */
export const USER = 1000;
/** The folder of Node comes first. */
export const PATH = '/opt/node:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** Folders of this machine that a root shows as they are: programs and their libraries. */
const SHOWN = ['/usr', '/bin', '/sbin', '/lib', '/lib64'];

/** Makes a root with an own /etc, and the Node that the package pins, in an empty folder. */
export function makeRoot(root: string): void {
  for (const path of [
    'etc/ssl',
    'opt/node',
    'proc',
    'dev',
    'tmp',
    'home/node',
    ...SHOWN.map((path) => path.slice(1)),
  ])
    mkdirSync(join(root, path), { recursive: true });
  chmodSync(join(root, 'tmp'), 0o1777);
  chownSync(join(root, 'home/node'), USER, USER);
  writeFileSync(
    join(root, 'etc/passwd'),
    `root:x:0:0::/:/bin/sh\nnode:x:${USER}:${USER}::/home/node:/bin/sh\n`,
  );
  writeFileSync(join(root, 'etc/group'), `root:x:0:\nnode:x:${USER}:\n`);
  writeFileSync(join(root, 'etc/nsswitch.conf'), 'hosts: files dns\n');
  for (const file of ['hosts', 'resolv.conf'])
    if (existsSync(join('/etc', file))) copyFileSync(join('/etc', file), join(root, 'etc', file));
  if (existsSync('/etc/ssl'))
    cpSync('/etc/ssl', join(root, 'etc/ssl'), { recursive: true, dereference: true });
  copyFileSync(process.execPath, join(root, 'opt/node/node'));
  chmodSync(join(root, 'opt/node/node'), 0o755);
}

/** Words that run a command in a root, as a user. @param mounts further commands that mount, with `$R` as the root */
export function rootedCommand(
  root: string,
  folder: string,
  user: number,
  words: readonly string[],
  mounts = '',
): string[] {
  const shown = SHOWN.filter((path) => existsSync(path)).map((path) => `mount --rbind ${path} "$R${path}"`);
  const script = [
    'set -e',
    'R=$1; shift',
    // Its own mount first, so that it can be made read-only without the rest of the disk.
    'mount --bind "$R" "$R"',
    ...shown,
    'mount --rbind /dev "$R/dev"',
    'mount --rbind /proc "$R/proc"',
    mounts,
    `exec chroot --userspec=${user}:${user} "$R" sh -c 'cd "$0" && exec "$@"' ${folder} "$@"`,
  ];
  return [
    'unshare',
    '--mount',
    '--propagation',
    'private',
    'sh',
    '-c',
    script.join('\n'),
    'sh',
    root,
    ...words,
  ];
}

/** Runs a command in a root. @throws Error when it fails */
export function inRoot(root: string, folder: string, user: number, words: readonly string[]): void {
  const { registry, cafile } = npmSettings();
  const [program, ...rest] = rootedCommand(root, folder, user, words);
  const { status } = spawnSync(program!, rest, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      PATH,
      HOME: '/home/node',
      npm_config_registry: registry,
      npm_config_update_notifier: 'false',
      ...(cafile !== undefined && { npm_config_cafile: cafile, NODE_EXTRA_CA_CERTS: cafile }),
    },
  });
  if (status !== 0) throw new Error(`exit ${status}: ${words.join(' ')}`);
}

/** Where this machine gets packages from: the registry, and the file of its authorities in /etc/ssl, if one is set. */
function npmSettings(): { readonly registry: string; readonly cafile: string | undefined } {
  const { stdout } = spawnSync('npm', ['config', 'list', '--json'], { encoding: 'utf8' });
  const { registry, cafile } = JSON.parse(stdout) as { registry: string; cafile: string | null };
  return { registry, cafile: cafile ?? process.env['NODE_EXTRA_CA_CERTS'] };
}
