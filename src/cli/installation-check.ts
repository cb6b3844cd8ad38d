/** What one look at a part of an installation found. */
export interface CheckFinding {
  /** What was looked at: `database`, `disk space`. */
  readonly part: string;
  readonly status: 'ok' | 'warn' | 'fail';
  /** What was found. */
  readonly found: string;
  /** What to do about it; absent when all is well. */
  readonly remedy?: string;
}

/** Looks at one part; what it throws is a failure of that part. */
export interface InstallationCheck {
  readonly part: string;
  /** A part without which this one cannot be looked at. */
  readonly needs?: string;
  /** What to do when it throws. */
  readonly remedy: string;
  readonly look: () => Promise<Omit<CheckFinding, 'part'> | readonly Omit<CheckFinding, 'part'>[]>;
}

/** Looks at every part, one after the other, and gives each finding as it comes; what rests on a failed part is not looked at. */
export async function* checkInstallation(checks: readonly InstallationCheck[]): AsyncIterable<CheckFinding> {
  const failed = new Set<string>();
  for (const { part, needs, remedy, look } of checks) {
    let findings: Awaited<ReturnType<typeof look>>;
    if (needs !== undefined && failed.has(needs)) {
      failed.add(part);
      yield { part, status: 'warn', found: `not looked at: ${needs} failed` };
      continue;
    }
    try {
      findings = await look();
    } catch (error) {
      findings = { status: 'fail', found: (error as Error).message, remedy };
    }
    for (const finding of [findings].flat()) {
      if (finding.status === 'fail') failed.add(part);
      yield { part, ...finding };
    }
  }
}
