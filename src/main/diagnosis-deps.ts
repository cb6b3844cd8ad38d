import type { CliDeps } from '../cli/command.ts';

/** What the checks of an open installation look at. */
export interface DiagnosisDeps {
  readonly deps: CliDeps;
  readonly server: () => Promise<{
    /** Time of the database server [ms since the Unix epoch]. */
    readonly nowMs: number;
    readonly version: string;
    /** Why row-level security does not separate accounts; undefined when it does. */
    readonly rowSecurityProblem: string | undefined;
  }>;
  /** The number of secrets at rest, and of those that the current key cannot decrypt. */
  readonly secrets: () => Promise<{ readonly all: number; readonly closed: number }>;
}
