import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { Forbidden, InvalidInput, NotFound } from '../base/errors.ts';
import { traced } from '../base/trace.ts';
import { type CliContext, type Command, Incomplete, Misuse } from './command.ts';
import { commandHelp, commandHint, optionProblem, overview } from './help.ts';
import { operator } from './operator.ts';

/** The output streams and the version that the command line uses. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  readonly version: string;
  /** Name of the user at the command line. Default: the user of this process. */
  readonly user?: string;
}

/** Commands that run until they are stopped. Their calls, jobs and deliveries have spans, they have none. */
const LASTING = new Set(['serve', 'worker']);

/** Whether a running service may run the command line. */
export function isLight(commands: readonly Command[], argv: readonly string[]): boolean {
  return findCommand(commands, argv)?.isLight === true && !asksForHelp(argv);
}

/** The command that the first words of a command line name; undefined when there is none. */
export function findCommand(commands: readonly Command[], argv: readonly string[]): Command | undefined {
  return commands.find(({ name }) => name === argv.slice(0, name.split(' ').length).join(' '));
}

const asksForHelp = (args: readonly string[]): boolean => args.includes('--help') || args.includes('-h');

/**
 * Runs one command line.
 * @param commands those that there are
 * @returns the exit code: 0 (done), 1 (failed), 2 (misused) or 3 (done in part)
 */
export async function runCommand(
  commands: readonly Command[],
  argv: readonly string[],
  terminal: Terminal,
  world: Pick<CliContext, 'open' | 'serve'> &
    Partial<
      Pick<
        CliContext,
        'checks' | 'confirm' | 'restore' | 'restoreAccount' | 'newBackupKey' | 'forgetSecrets' | 'caller'
      >
    >,
): Promise<number> {
  if (argv.length === 0 || argv[0] === '--help' || argv[0] === '-h' || argv[0] === 'help') {
    terminal.out(overview(commands));
    return argv.length === 0 ? 2 : 0;
  }
  if (argv[0] === '--version') {
    terminal.out(terminal.version);
    return 0;
  }
  const command = findCommand(commands, argv);
  if (command === undefined) {
    const family = commands.filter(({ name }) => name.startsWith(`${argv[0]} `));
    if (family.length > 0 && (argv[1] === '--help' || argv[1] === '-h')) {
      terminal.out(overview(family));
      return 0;
    }
    const known = family.length > 0 ? family.map(({ name }) => name).join(', ') : commandHint(argv, commands);
    terminal.err(`groundwatch: there is no command ${argv.slice(0, 2).join(' ')}: ${known}`);
    return 2;
  }
  const rest = argv.slice(command.name.split(' ').length);
  if (asksForHelp(rest)) {
    terminal.out(commandHelp(command));
    return 0;
  }
  let made: unknown;
  let account: unknown;
  try {
    const { operands, options, json } = parse(command, rest);
    const context: CliContext = {
      json,
      print: (result, words) => {
        made = result['id'] ?? result['client_id'];
        account = result['account_id'];
        terminal.out(json ? JSON.stringify(result) : words);
      },
      note: (words) => terminal.err(words),
      checks: () => [],
      confirm: async () => undefined,
      restore: () => Promise.reject(new Misuse('nothing can be restored here')),
      restoreAccount: () => Promise.reject(new Misuse('nothing can be restored here')),
      newBackupKey: () => Promise.reject(new Misuse('no key can be made here')),
      forgetSecrets: () => Promise.reject(new Misuse('there are no secrets here')),
      caller: () => {
        throw new Misuse('no service can be called here');
      },
      ...world,
    };
    const run = (): Promise<void> => command.run(context, { operands, options });
    if (LASTING.has(command.name)) await run();
    else await traced({ name: `groundwatch ${command.name}`, kind: 'internal' }, run);
    const { collection, layer } = options;
    const target = made ?? operands[0] ?? collection ?? layer;
    if (command.audited)
      await record(world, command, { target, account, named: options['account'], user: terminal.user });
    return 0;
  } catch (error) {
    return explain(error, command, terminal);
  }
}

/**
 * Records a command of the operator in the audit log. An account that the result or `--account` names can read the
 * entry.
 */
async function record(
  world: Pick<CliContext, 'open'>,
  { name, operands: [operand] = [] }: Command,
  about: {
    readonly target: unknown;
    readonly account: unknown;
    readonly named: unknown;
    readonly user: string | undefined;
  },
): Promise<void> {
  const { storage } = await world.open();
  const { target, account, named, user } = about;
  const found = typeof named === 'string' ? (await storage.accounts.byName(named))?.id : undefined;
  const accountId = typeof account === 'string' ? account : (found ?? null);
  // Of a file, an account learns the name, not where it lies on the operator's machine.
  const isFile = operand?.startsWith('FILE') === true;
  const shown = (text: string): string => (isFile && accountId !== null ? basename(text) : text);
  const nowhere = { accountId, environment: null, address: null, requestId: null };
  const entry = {
    actor: operator(user),
    action: name,
    target: typeof target === 'string' ? shown(target) : null,
  };
  await storage.audit.record([{ ...entry, ...nowhere, result: 'done', count: 1 }]);
}

function isNegative(arg: string | undefined): boolean {
  return arg !== undefined && /^-[\d.]/.test(arg);
}

function parse(command: Command, args: readonly string[]) {
  const options = Object.entries(command.options ?? {});
  const takesValue = (arg: string | undefined): boolean =>
    options.some(
      ([name, { value, formerly }]) =>
        value !== undefined && (arg === `--${name}` || arg === `--${formerly}`),
    );
  let parsed;
  try {
    parsed = parseArgs({
      // A negative number after an option is its value, although it starts with a hyphen.
      args: args.flatMap((arg, i) =>
        isNegative(arg) && takesValue(args[i - 1])
          ? []
          : isNegative(args[i + 1]) && takesValue(arg)
            ? `${arg}=${args[i + 1]}`
            : arg,
      ),
      allowPositionals: true,
      strict: true,
      options: {
        json: { type: 'boolean' },
        ...Object.fromEntries(
          options.flatMap(([name, { value, formerly }]) =>
            [name, ...(formerly === undefined ? [] : [formerly])].map((spelling) => [
              spelling,
              { type: value === undefined ? 'boolean' : 'string' } as const,
            ]),
          ),
        ),
      },
    });
  } catch (error) {
    throw new Misuse(
      optionProblem(error as NodeJS.ErrnoException, ['json', ...options.map(([name]) => name)]),
    );
  }
  const { json, ...values } = parsed.values as Record<string, string | true | undefined>;
  for (const [name, { formerly }] of options) {
    if (formerly === undefined || values[formerly] === undefined) continue;
    if (values[name] !== undefined)
      throw new Misuse(`--${formerly} is the former name of --${name}: give one`);
    values[name] = values[formerly];
    delete values[formerly];
  }
  const expected = command.operands ?? [];
  if (parsed.positionals.length !== expected.length)
    throw new Misuse(
      expected.length === 0
        ? `unexpected ${parsed.positionals.join(' ')}`
        : `expected ${expected.join(' ')}, got ${parsed.positionals.join(' ') || 'nothing'}`,
    );
  const missing = options.filter(([name, { required }]) => required === true && values[name] === undefined);
  if (missing.length > 0)
    throw new Misuse(
      `${missing.map(([name]) => `--${name}`).join(', ')} ${missing.length === 1 ? 'is' : 'are'} required`,
    );
  return { operands: parsed.positionals, options: values, json: json === true };
}

function explain(error: unknown, command: Command, terminal: Terminal): number {
  if (error instanceof Misuse) {
    terminal.err(`groundwatch ${command.name}: ${error.message}`);
    terminal.err(`groundwatch ${command.name} --help shows its usage`);
    return 2;
  }
  const { message, stack } = error as Error;
  // An error that the caller can correct is printed as a sentence, any other with its stack.
  const expected = error instanceof InvalidInput || error instanceof NotFound || error instanceof Forbidden;
  const { code, name } = error as NodeJS.ErrnoException;
  const known =
    expected ||
    code !== undefined ||
    ['BadSetting', 'Failed', 'Incomplete', 'UpstreamUnavailable', 'Unavailable'].includes(name);
  terminal.err(`groundwatch ${command.name}: ${known ? message : (stack ?? message)}`);
  if (error instanceof InvalidInput && error.details.length > 1)
    for (const problem of error.details) terminal.err(`  ${problem.message}`);
  if (error instanceof Incomplete) return 3;
  return error instanceof InvalidInput || name === 'BadSetting' ? 2 : 1;
}
