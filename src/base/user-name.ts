import { userInfo } from 'node:os';

/** Name of the user of this process; its number where the system has no name for it, as in many containers. */
export function userName(nameOf: () => { readonly username: string } = userInfo): string {
  try {
    return nameOf().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
