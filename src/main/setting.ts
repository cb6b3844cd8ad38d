import { InvalidInput } from '../base/errors.ts';

/** Reads a setting by what will use it. @throws InvalidInput naming the setting */
export function setting<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new InvalidInput(`${name}: ${(cause as Error).message}`, { param: name, cause });
  }
}
