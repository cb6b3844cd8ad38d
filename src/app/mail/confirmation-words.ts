import { CONFIRM_HOURS, REFUSED_DAYS } from '../../contract/limits.ts';
import type { MailContent } from './mail-content.ts';

/**
 * What the mail says that asks to confirm an address. No word of it comes from a caller, so that nobody can send texts of
 * their own to strangers.
 * @param host name of the service
 */
export function confirmationContent(host: string, confirmUrl: string): MailContent {
  return {
    kicker: 'Please confirm',
    title: 'Should this address receive events?',
    tone: 'plain',
    paragraphs: [
      `Somebody asked the Groundwatch service at ${host} to send events about the ground to this address.`,
      `If you want them, confirm within ${CONFIRM_HOURS} hours. If you do not answer, nothing more is sent.`,
      `If you did not ask for this, end it with the link below: this service then sends you no such request for ${REFUSED_DAYS} days.`,
    ],
    facts: [],
    items: [],
    action: { label: 'Confirm this address', href: confirmUrl },
    picturedChange: undefined,
    pictureAreasUntilMs: undefined,
  };
}
