import type { CliDeps } from '../cli/command.ts';

/** The inputs for the checks of an open installation. */
export interface DiagnosisDeps {
  readonly deps: CliDeps;
  readonly server: () => Promise<{
    /** Time of the database server [ms since the Unix epoch]. */
    readonly nowMs: number;
    readonly version: string;
    /** Why row-level security does not separate accounts; undefined when it does. */
    readonly rowSecurityProblem: string | undefined;
    /** Whether a pooler stands before the server. */
    readonly isPooled: boolean;
  }>;
  /** Counts the secrets at rest (`all`), and the secrets that the current key cannot decrypt (`closed`). */
  readonly secrets: () => Promise<{ readonly all: number; readonly closed: number }>;
}
