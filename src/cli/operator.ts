import { userInfo } from 'node:os';

/** The user at the command line, as the audit log names them. */
export function operator(): string {
  return `operator ${userInfo().username}`;
}
