import { homedir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CALL_COMMANDS } from '../cli/calls/commands.ts';
import { type Caller, Misuse } from '../cli/command.ts';
import { runCommand } from '../cli/run.ts';
import { readConfig } from '../config.ts';
import { runningService } from './service-socket.ts';
import { trustingFetch } from '../net/trusting-fetch.ts';

const TIMEOUT_MS = 60_000; // of each phase of a call
const MAX_BYTES = 256 * 1024 * 1024; // maximum size of an answer; pages have a few megabytes

/**
 * Runs a command that calls a service over its API. It opens no installation and loads little more than the client.
 * @returns the exit code
 */
export async function runCall(argv: readonly string[], version: string): Promise<number> {
  const closers: (() => Promise<void>)[] = [];
  const refuse = (): Promise<never> => Promise.reject(new Misuse('this command opens no installation'));
  const caller = (): Caller => {
    const { baseUrl, port, dataFolder } = readConfig();
    return {
      loginFile: join(homedir(), '.config', 'groundwatch', 'login.json'),
      localUrl: async () =>
        (await runningService(dataFolder))?.address ?? baseUrl ?? `https://localhost:${port}`,
      localCaFile: join(dataFolder, 'tls', 'ca.pem'),
      fetchTrusting: (extraCa) => {
        const { fetch, close } = trustingFetch({ extraCa, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
        closers.push(close);
        return fetch;
      },
      readSecret,
    };
  };
  const terminal = {
    out: (text: string) => process.stdout.write(`${text}\n`),
    err: (text: string) => process.stderr.write(`${text}\n`),
    version,
  };
  try {
    return await runCommand(CALL_COMMANDS, argv, terminal, { open: refuse, serve: refuse, caller });
  } finally {
    for (const close of closers) await close();
  }
}

/** Reads a line from the terminal without showing it, or all of standard input when that is no terminal. */
async function readSecret(prompt: string): Promise<string> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) return (await buffer(stdin)).toString('utf8');
  stderr.write(prompt);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true });
  try {
    return await lines.question('');
  } finally {
    lines.close();
    stderr.write('\n');
  }
}
