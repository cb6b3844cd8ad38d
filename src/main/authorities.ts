import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Config } from '../config.ts';
import { readSetting } from './setting.ts';

/**
 * PEM text of the certificate authorities to trust in addition to the usual ones; undefined: none.
 * @throws InvalidInput naming the setting, when the file cannot be read or contains no certificate; TLS would silently
 * ignore a file without a certificate
 */
export function extraAuthorities({ caFile }: Pick<Config, 'caFile'>): string | undefined {
  if (caFile === undefined) return undefined;
  return readSetting('GROUNDWATCH_CA_FILE', () => {
    const pem = readFileSync(caFile, 'utf8');
    try {
      void new X509Certificate(pem);
    } catch (cause) {
      throw new Error(`expected PEM certificates in ${caFile}`, { cause });
    }
    return pem;
  });
}
