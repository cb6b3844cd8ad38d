import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Config } from '../config.ts';
import { setting } from './setting.ts';

/**
 * PEM text of the authorities that are trusted besides the usual; undefined: none are.
 * @throws InvalidInput naming the setting, for a file that cannot be read or holds no certificate, which TLS would pass over
 */
export function extraAuthorities({ caFile }: Pick<Config, 'caFile'>): string | undefined {
  if (caFile === undefined) return undefined;
  return setting('GROUNDWATCH_CA_FILE', () => {
    const pem = readFileSync(caFile, 'utf8');
    try {
      void new X509Certificate(pem);
    } catch (cause) {
      throw new Error(`expected PEM certificates in ${caFile}`, { cause });
    }
    return pem;
  });
}
