import { readFile } from 'node:fs/promises';
import { UpstreamUnavailable } from '../../base/errors.ts';

/** Size to which PostgreSQL lets the files of a table grow (its `RELSEG_SIZE` of 131,072 blocks of 8 kB) [bytes]. */
const TABLE_FILE_BYTES = 2 ** 30;
/** Number of files and connections that the service and a server process need at least; both have about 80 at rest. */
const OPEN_FILES = 192;

/** Limits that the database needs, by their names in `/proc/PID/limits`, with how `ulimit` of a shell sets them. */
const NEEDS = [
  {
    name: 'Max file size',
    least: TABLE_FILE_BYTES,
    say: (given: number) =>
      `files may have ${given} bytes here, and those of the database grow to ${TABLE_FILE_BYTES}. ` +
      'Raise the limit: ulimit -f unlimited, or LimitFSIZE=infinity for systemd',
  },
  {
    name: 'Max open files',
    least: OPEN_FILES,
    say: (given: number) =>
      `a process may have ${given} files and connections open here, and the service needs ${OPEN_FILES} at least. ` +
      'Raise the limit: ulimit -n 4096, or LimitNOFILE=4096 for systemd',
  },
] as const;

/**
 * Refuses to start a database server under limits of the process under which it would end again and again, or the
 * service would not answer. The server keeps the limits of the process that started it. Does nothing on systems other
 * than Linux.
 * @param limits file in the form of `/proc/PID/limits`
 * @throws UpstreamUnavailable naming the limit and how to raise it
 */
export async function checkLimits(limits = '/proc/self/limits'): Promise<void> {
  const text = await readFile(limits, 'utf8').catch(() => '');
  for (const { name, least, say } of NEEDS) {
    const soft = new RegExp(`^${name} +(\\d+) `, 'm').exec(text)?.[1]; // `unlimited` is no number
    if (soft !== undefined && Number(soft) < least)
      throw new UpstreamUnavailable(`The database cannot be started: ${say(Number(soft))}`);
  }
}
