import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';

/** What every process of the test is told about the service. */
export interface Target {
  readonly port: number;
  readonly ca: string;
}

/** A process of the test. It works between `begin` and `end`, as often as asked. */
export interface Child<Told> {
  begin(): Promise<void>;
  /** Stops the work. @returns what the process counted since `begin` */
  end(): Promise<Told>;
  stop(): Promise<void>;
}

/**
 * Starts a process of the test, which calls {@link serveParent}.
 * @param isKind whether it has a low priority, since other machines would take no processor time from the service
 */
export async function startChild<Told>(file: URL, task: object, isKind: boolean): Promise<Child<Told>> {
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
  const child = fork(file, [JSON.stringify(task)], { stdio: [...stdio], detached: isKind });
  if (isKind) {
    setPriority(child.pid!, constants.priority.PRIORITY_BELOW_NORMAL);
    // Where Linux schedules by session, the priority of the session counts. Not every system has or permits this.
    await writeFile(`/proc/${child.pid}/autogroup`, '10').catch(() => undefined);
  }
  await answer(child, 'ready');
  return {
    begin: async () => {
      child.send('begin');
      await answer(child, 'begun');
    },
    end: async () => {
      child.send('end');
      return (await answer(child, 'ended')) as Told;
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function answer(child: ChildProcess, kind: string): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const read = (message: unknown): void => {
    const [of, told] = message as readonly [string, unknown];
    if (of === kind) resolve(told);
  };
  const fail = (): void => reject(new Error(`a process of the test ended before it was ${kind}`));
  child.on('message', read).once('exit', fail);
  return promise.finally(() => child.off('message', read).off('exit', fail));
}

/** The side of {@link startChild} in the process itself. */
export function serveParent(work: {
  readonly begin: () => Promise<void>;
  readonly end: () => Promise<unknown>;
}): void {
  const tell = (kind: string, told?: unknown): void => void process.send!([kind, told]);
  process.on('message', (order) => {
    if (order === 'begin') void work.begin().then(() => tell('begun'));
    else void work.end().then((told) => tell('ended', told));
  });
  process.on('disconnect', () => process.exit());
  tell('ready');
}

/** The task that the process was started with: what {@link startChild} was given. */
export function taskOf(): unknown {
  return JSON.parse(process.argv[2]!);
}
