import type { Command } from './command.ts';

/** The list of commands, one line each. */
export function overview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map((command) => usage(command).length));
  return [
    'Usage: groundwatch COMMAND [OPTIONS]',
    '',
    ...commands.map((command) => `  ${usage(command).padEnd(width)}  ${command.summary}`),
    '',
    'Every command takes --help, and --json for one line of JSON on stdout. Settings are environment variables:',
    'docs/operations.md lists them. Exit codes: 0 done, 1 failed, 2 misused.',
  ].join('\n');
}

/** The help of one command, with its options. */
export function commandHelp(command: Command): string {
  const options = [
    ...Object.entries(command.options ?? {}),
    ['json', { meaning: 'print one line of JSON' }] as const,
  ].map(([name, option]) => {
    const { value, fallback, required } = option as { value?: string; fallback?: string; required?: boolean };
    const note = required === true ? ' (required)' : fallback === undefined ? '' : ` (default ${fallback})`;
    return [`--${name}${value === undefined ? '' : ` ${value}`}`, `${option.meaning}${note}`] as const;
  });
  const width = Math.max(...options.map(([left]) => left.length));
  return [
    `Usage: groundwatch ${usage(command)} [OPTIONS]`,
    '',
    command.summary,
    '',
    ...options.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`),
  ].join('\n');
}

function usage(command: Command): string {
  return [command.name, ...(command.operands ?? [])].join(' ');
}
