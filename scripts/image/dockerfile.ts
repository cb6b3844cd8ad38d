/** One instruction of a Dockerfile. */
export interface Instruction {
  readonly word: string;
  readonly flags: ReadonlyMap<string, string>;
  /** Words after the flags. */
  readonly operands: readonly string[];
  /** All after the flags, on one line. */
  readonly text: string;
}

/** A stage of a Dockerfile; without a name its number is its name. */
export interface Stage {
  readonly name: string | undefined;
  readonly instructions: readonly Instruction[];
}

/** Reads a Dockerfile, as far as ours goes: no heredocs, no ONBUILD, no quoted operands. @see https://docs.docker.com/reference/dockerfile */
export function parseDockerfile(text: string): readonly Stage[] {
  const stages: { name: string | undefined; instructions: Instruction[] }[] = [];
  const lines = text
    .split('\n')
    .filter((line) => !/^\s*(?:#|$)/.test(line))
    .join('\n')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n');
  for (const line of lines) {
    const [word = '', ...rest] = line.trim().split(/\s+/);
    if (word === 'ARG') continue;
    const count = rest.findIndex((one) => !one.startsWith('--'));
    const given = rest.slice(0, count);
    const operands = rest.slice(count);
    const flags = new Map(given.map((flag) => flag.slice(2).split('=') as [string, string]));
    if (word === 'FROM') stages.push({ name: operands[2], instructions: [] });
    else stages.at(-1)!.instructions.push({ word, flags, operands, text: operands.join(' ') });
  }
  return stages;
}
