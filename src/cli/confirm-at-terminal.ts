import { createInterface } from 'node:readline/promises';

/** Asks a question at the terminal; undefined where standard input is none. Only `y` and `yes` mean yes. */
export async function confirmAtTerminal(question: string): Promise<boolean | undefined> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) return undefined;
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}
