import { InvalidInput } from '../base/errors.ts';

/** Runs a parser of a setting. @throws InvalidInput naming the setting, when the parser throws */
export function readSetting<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new InvalidInput(`${name}: ${(cause as Error).message}`, { param: name, cause });
  }
}
