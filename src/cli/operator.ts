import { userInfo } from 'node:os';

/** A user at the command line, by default the one of this process, as the audit log names them. */
export function operator(user = userInfo().username): string {
  return `operator ${user}`;
}
