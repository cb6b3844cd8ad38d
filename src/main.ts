import packageJson from '../package.json' with { type: 'json' };
import { surviveLostOutput } from './base/process-output.ts';
import { userName } from './base/user-name.ts';
import { CALL_COMMANDS } from './cli/calls/commands.ts';
import { findCommand } from './cli/run.ts';
import { readConfig, givenSettings } from './config.ts';
import { runInService } from './main/command-socket.ts';

/**
 * Runs a command line and sets the exit code. Commands that call a service load the client only. A service that runs
 * on the data folder runs light commands itself, so that this process loads little more than Node.
 */
export async function main(argv: readonly string[]): Promise<void> {
  const { version } = packageJson;
  surviveLostOutput(argv[0] === 'serve' || argv[0] === 'worker');
  if (argv[0] === '--version') {
    process.stdout.write(`${version}\n`);
    return;
  }
  if (findCommand(CALL_COMMANDS, argv) !== undefined) {
    const { runCall } = await import('./main/call-line.ts');
    process.exitCode = await runCall(argv, version);
    return;
  }
  const folder = dataFolder();
  if (folder !== undefined) {
    const request = { version, settings: givenSettings(), user: userName(), argv };
    const code = await runInService(folder, request, {
      out: (text) => process.stdout.write(`${text}\n`),
      err: (text) => process.stderr.write(`${text}\n`),
    });
    if (code !== undefined) {
      process.exitCode = code;
      return;
    }
  }
  const { runCommandLine } = await import('./main/command-line.ts');
  await runCommandLine(argv);
}

/** Undefined when a setting is bad, which the command then tells. */
function dataFolder(): string | undefined {
  try {
    return readConfig().dataFolder;
  } catch {
    return undefined;
  }
}
