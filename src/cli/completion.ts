import { type Command, Misuse } from './command.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** The command that prints a script that completes the others. */
export function completionCommand(commands: () => readonly Command[]): Command {
  return {
    name: 'completion',
    summary: 'Print a script for bash, zsh or fish that completes commands and options',
    operands: ['SHELL'],
    async run(context, { operands: [shell] }) {
      const known = SHELLS.find((name) => name === shell);
      if (known === undefined) throw new Misuse(`expected one of ${SHELLS.join(', ')}, got ${shell}`);
      const script = known === 'fish' ? fishScript(commands()) : bashScript(commands(), known);
      context.print({ shell: known, script }, script);
    },
  };
}

const optionsOf = (command: Command): readonly string[] =>
  [...Object.keys(command.options ?? {}), 'json', 'help'].map((name) => `--${name}`);

/** What may follow the words of a command line that are there already, for each such line. */
function wordsAfter(commands: readonly Command[]): ReadonlyMap<string, readonly string[]> {
  const after = new Map<string, string[]>([['', []]]);
  for (const command of commands) {
    const words = command.name.split(' ');
    words.forEach((word, i) => {
      const before = words.slice(0, i).join(' ');
      const next = after.get(before) ?? after.set(before, []).get(before)!;
      if (!next.includes(word)) next.push(word);
    });
    after.set(command.name, [...(after.get(command.name) ?? []), ...optionsOf(command)]);
  }
  return after;
}

/** Zsh runs it with its functions for scripts of bash. */
function bashScript(commands: readonly Command[], shell: 'bash' | 'zsh'): string {
  // The longest command first: a pattern also matches what begins with it.
  const cases = [...wordsAfter(commands)]
    .filter(([before]) => before !== '')
    .sort(([a], [b]) => b.length - a.length)
    .map(([before, next]) => `    '${before} '*) words='${next.join(' ')}' ;;`);
  const first = wordsAfter(commands).get('')!;
  return [
    ...(shell === 'zsh' ? ['autoload -U +X compinit bashcompinit && compinit -u && bashcompinit'] : []),
    '_groundwatch() {',
    '  local words line="${COMP_WORDS[*]:1:COMP_CWORD-1} "',
    '  case "$line" in',
    ...cases,
    `    ' ') words='${first.join(' ')}' ;;`,
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))',
    '}',
    'complete -o default -F _groundwatch groundwatch', // files, where no word fits
  ].join('\n');
}

function fishScript(commands: readonly Command[]): string {
  const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = [...wordsAfter(commands)].flatMap(([before, next]) =>
    next
      .filter((word) => !word.startsWith('--'))
      .map((word) => {
        const command = commands.find(({ name }) => name === `${before} ${word}`.trim());
        const summary = command === undefined ? '' : ` -d ${quoted(command.summary)}`;
        return `complete -c groundwatch -f -n '__groundwatch_is ${before}' -a ${word}${summary}`;
      }),
  );
  const options = commands.flatMap((command) =>
    [...Object.entries(command.options ?? {}), ['json', { meaning: 'print one line of JSON' }] as const].map(
      ([name, { meaning, ...option }]) =>
        `complete -c groundwatch -n '__groundwatch_begins ${command.name}' -l ${name} -d ${quoted(meaning)}${'value' in option ? ' -r' : ''}`,
    ),
  );
  return [
    'function __groundwatch_is',
    '  test (string join " " (commandline -opc)[2..-1]) = "$argv"',
    'end',
    'function __groundwatch_begins',
    '  string match -q -- "$argv *" (string join " " (commandline -opc)[2..-1] "")',
    'end',
    ...lines,
    ...options,
  ].join('\n');
}
