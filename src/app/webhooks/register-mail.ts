import type { Deps } from '../deps.ts';
import { InvalidInput } from '../../base/errors.ts';
import { HOUR_MS } from '../../base/time.ts';
import { newId } from '../../base/ids.ts';
import { CONFIRM_HOURS, EMAIL_LENGTH } from '../../contract/limits.ts';
import type { Owner } from '../owner.ts';
import type { Stores } from '../storage.ts';
import { parseMailAddress } from './mail-address.ts';

/**
 * Registers an e-mail address and queues a mail that asks its recipient to confirm it. Nothing else is sent to the
 * address before. The answer is the same whether or not the address is known here or wants no mail.
 * @throws InvalidInput for what is no address, and when no mail server is set
 */
export async function registerMail(
  deps: Pick<Deps, 'mail' | 'clock'>,
  stores: Stores,
  owner: Owner,
  { email, events }: { readonly email: string; readonly events: readonly string[] },
): Promise<{ readonly id: string }> {
  const newLinkSecret = secretsOf(deps);
  const address = parseMailAddress(email);
  if (address === undefined)
    throw new InvalidInput(
      `email: expected an address such as ada@example.com of at most ${EMAIL_LENGTH} characters, got ${JSON.stringify(email)}`,
      { param: 'email' },
    );
  const id = newId('webhook');
  await stores.webhooks.createMail(
    { ...owner, id, events, address },
    { confirm: newLinkSecret(), confirmUntil: confirmUntil(deps), stop: newLinkSecret() },
  );
  await stores.events.emit(owner, 'webhook.test', { webhook_id: id }, id);
  return { id };
}

/** Makes another link for an address that is not confirmed. The former link ends. @throws InvalidInput */
export async function askAgain(
  deps: Pick<Deps, 'mail' | 'clock'>,
  stores: Stores,
  owner: Owner,
  id: string,
): Promise<void> {
  const confirm = secretsOf(deps)();
  await stores.webhooks.renewConfirmation(owner, id, { confirm, confirmUntil: confirmUntil(deps) });
}

function secretsOf({ mail }: Pick<Deps, 'mail'>): () => string {
  if (mail === undefined)
    throw new InvalidInput(
      'email: this service sends no mail, because its operator has not set a mail server (GROUNDWATCH_SMTP_URL)',
      { param: 'email' },
    );
  return mail.newLinkSecret;
}

const confirmUntil = ({ clock }: Pick<Deps, 'clock'>): Date =>
  new Date(clock.now() + CONFIRM_HOURS * HOUR_MS);
