import { nearestName } from '../base/nearest-name.ts';
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
    'docs/operations.md lists them. Exit codes: 0 done, 1 failed, 2 misused, 3 done in part.',
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

/** What is wrong with an option, from the error of the parser, which names it in quotes. */
export function optionProblem({ code, message }: NodeJS.ErrnoException, known: readonly string[]): string {
  const option = /'(-[^' ]*)/.exec(message)?.[1] ?? '';
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const nearest = nearestName(option.replace(/^-+/, ''), known);
    return `there is no option ${option}${nearest === undefined ? '' : `; did you mean --${nearest}?`}`;
  }
  if (code !== 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE') return message;
  return message.includes('does not take') ? `${option} takes no value` : `${option} needs a value`;
}

/** Where to look after an unknown command: the most similar one, or the list of all. */
export function commandHint(argv: readonly string[], commands: readonly Command[]): string {
  const names = commands.map(({ name }) => name);
  const nearest = nearestName(argv.slice(0, 2).join(' '), names) ?? nearestName(argv[0]!, names);
  return nearest === undefined ? 'groundwatch --help lists them' : `did you mean ${nearest}?`;
}
