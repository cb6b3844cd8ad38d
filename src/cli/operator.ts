import { userName } from '../base/user-name.ts';

/** A user at the command line, by default the one of this process, as the audit log names them. */
export function operator(user = userName()): string {
  return `operator ${user}`;
}
