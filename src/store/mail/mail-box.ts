import { createHash } from 'node:crypto';
import type { MailBox } from '../../app/webhooks/mail-store.ts';
import type { Sealing } from '../sealing/sealing.ts';

/** Hash of the secret of a link, by which the link is found. */
export const linkHash = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** Seals what the mails to an endpoint need. */
export function sealMailBox(sealing: Sealing, box: MailBox): string {
  return JSON.stringify([{ box: sealing.seal(JSON.stringify(box)).toString('base64'), until: null }]);
}

/** Opens it; undefined when the key was lost. */
export function openMailBox(
  sealing: Sealing,
  secrets: readonly { readonly box: string }[],
): MailBox | undefined {
  try {
    return JSON.parse(sealing.open(Buffer.from(secrets[0]!.box, 'base64'))) as MailBox;
  } catch {
    return undefined;
  }
}
