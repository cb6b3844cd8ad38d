import type { SecretBox } from './secret-box.ts';

/** What a browser keeps, sealed, from the start of a sign-in to its end. */
export interface SignInTicket {
  readonly state: string;
  readonly nonce: string;
  /** PKCE code verifier (RFC 7636). */
  readonly verifier: string;
  /** End of the time in which the sign-in must be completed [ms since the Unix epoch]. */
  readonly untilMs: number;
}

const PURPOSE = 'sign-in'; // other sealed texts of the installation are no tickets

/** Seals a ticket, in base64url. */
export function sealTicket(sealing: Pick<SecretBox, 'seal'>, ticket: SignInTicket): string {
  return sealing.seal(JSON.stringify({ ...ticket, purpose: PURPOSE })).toString('base64url');
}

/** Opens a ticket; undefined when it was not sealed here, or has ended. */
export function openTicket(
  sealing: Pick<SecretBox, 'open'>,
  sealed: string,
  nowMs: number,
): SignInTicket | undefined {
  try {
    const ticket = JSON.parse(sealing.open(Buffer.from(sealed, 'base64url'))) as SignInTicket & {
      readonly purpose: unknown;
    };
    return ticket.purpose === PURPOSE && nowMs < ticket.untilMs ? ticket : undefined;
  } catch {
    return undefined;
  }
}
