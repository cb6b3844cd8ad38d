/** The result of one check of an installation. */
export interface CheckFinding {
  /** The part that was checked, such as `database` or `disk space`. */
  readonly part: string;
  readonly status: 'ok' | 'warn' | 'fail';
  /** The state of the part, in a sentence. */
  readonly found: string;
  /** How to fix the problem; absent when there is none. */
  readonly remedy?: string;
}

/** A check of one part. If it throws, the part has failed. */
export interface InstallationCheck {
  readonly part: string;
  /** A part that this check depends on. If that part has failed, this check is skipped. */
  readonly needs?: string;
  /** What to do when the check throws. */
  readonly remedy: string;
  readonly look: () => Promise<Omit<CheckFinding, 'part'> | readonly Omit<CheckFinding, 'part'>[]>;
}

/**
 * Runs the checks in order and yields each finding at once. A check that needs a failed part is skipped with a
 * warning.
 */
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
