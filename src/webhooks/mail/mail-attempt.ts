import type { Clock } from '../../app/clock.ts';
import type { MailOrder } from '../../app/mail/compose-mail.ts';
import { STOP_PATH } from '../../app/mail/link-paths.ts';
import type { Mail } from '../../app/mail/mail-content.ts';
import type { Attempt, ClaimedDelivery, Settlement, Verdict } from '../../app/webhooks/delivery-queue.ts';
import type { MailBox, MailStore } from '../../app/webhooks/mail-store.ts';
import { DAY_MS, HOUR_MS } from '../../base/time.ts';
import { FAILING_DAYS } from '../../contract/limits.ts';
import { nextAttemptAt, type Schedule } from '../schedule.ts';
import { type SendLetter, SmtpRefusal } from './smtp-sender.ts';

/** Longest recorded error and answer [characters]. */
const MAX_ERROR_LENGTH = 300;
const MAX_ANSWER_LENGTH = 1024;

export interface MailAttemptOptions {
  readonly bounds: Pick<MailStore, 'take'>;
  readonly compose: (order: MailOrder) => Promise<Mail>;
  readonly send: SendLetter;
  readonly baseUrl: () => string;
  readonly schedule: Schedule;
  readonly userAgent: string;
  readonly clock: Clock;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
}

type Outcome = Pick<Attempt, 'status' | 'answer' | 'error'> & { readonly verdict: Verdict };

/** Makes the function that sends the mail of a delivery once, and decides what happens next. It never throws. */
export function mailAttempt(options: MailAttemptOptions): (delivery: ClaimedDelivery) => Promise<Settlement> {
  return async (delivery) => {
    const startedAtMs = options.clock.now();
    const { verdict, ...outcome } = await attempt(delivery, options, startedAtMs);
    const durationMs = Math.max(0, options.clock.now() - startedAtMs);
    return { delivery, attempt: { startedAtMs, durationMs, ...outcome }, verdict };
  };
}

async function attempt(
  delivery: ClaimedDelivery,
  options: MailAttemptOptions,
  nowMs: number,
): Promise<Outcome> {
  const box = boxOf(delivery);
  if (box === undefined) return unsent('the service lost the address: register it again');
  const isConfirmation = box.confirm !== undefined;
  if (isConfirmation && typeOf(delivery.body) !== 'webhook.test')
    return unsent('the address is not confirmed');
  const hidden = (text: string): string =>
    text.replaceAll(box.address, '<address>').replaceAll('\0', '\ufffd');
  try {
    const refusal = await options.bounds.take({
      accountId: delivery.accountId,
      address: box.address,
      isConfirmation,
    });
    if (refusal !== undefined) return heldBack(isConfirmation, delivery, options, nowMs);
    const mail = await options.compose({ accountId: delivery.accountId, body: delivery.body, box });
    const { status, answer } = await options.send({
      mail,
      to: box.address,
      stopUrl: `${options.baseUrl()}${STOP_PATH}/${box.stop}`,
      id: `${delivery.eventId}.${delivery.endpointId}`,
      userAgent: options.userAgent,
      dateMs: nowMs,
    });
    return {
      status,
      answer: hidden(answer).slice(0, MAX_ANSWER_LENGTH),
      error: null,
      verdict: { kind: 'delivered' },
    };
  } catch (error) {
    const refused = error instanceof SmtpRefusal ? error : undefined;
    return {
      status: refused?.status ?? null,
      answer: hidden(refused?.answer ?? '').slice(0, MAX_ANSWER_LENGTH),
      error: hidden((error as Error).message ?? String(error)).slice(0, MAX_ERROR_LENGTH),
      verdict: judgeMail(refused, delivery, options, options.clock.now()),
    };
  }
}

/**
 * Decides what happens after a mail was not taken. A mail server that is down, or refuses the login or the sender, is no
 * fault of the endpoint, which is then not disabled. Neither is it for one mail that is refused for its content.
 */
export function judgeMail(
  refusal: Pick<SmtpRefusal, 'status' | 'answer' | 'isOfRecipient'> | undefined,
  { attempt: made, failingSinceMs }: Pick<ClaimedDelivery, 'attempt' | 'failingSinceMs'>,
  { schedule, random }: Pick<MailAttemptOptions, 'schedule' | 'random'>,
  nowMs: number,
): Verdict {
  const isOfRecipient = refusal?.isOfRecipient === true;
  if (isOfRecipient && isUnknownMailbox(refusal)) return { kind: 'disable', reason: 'refused' };
  if (isOfRecipient && failingSinceMs !== null && nowMs - failingSinceMs >= FAILING_DAYS * DAY_MS)
    return { kind: 'disable', reason: 'failing' };
  // 5yz about a recipient or a text stays as it is (RFC 5321 section 4.2.1). About the login it ends when it is mended.
  const isPermanent =
    refusal !== undefined &&
    refusal.status >= 500 &&
    (isOfRecipient || refusal.status === 552 || refusal.status === 554);
  const dueAtMs = isPermanent ? undefined : nextAttemptAt(schedule, made, nowMs, random);
  return dueAtMs === undefined ? { kind: 'dead' } : { kind: 'retry', dueAtMs };
}

/** Bad destination mailbox or system address (RFC 3463 section 3.2), or a mailbox that is disabled. */
function isUnknownMailbox({ status, answer }: Pick<SmtpRefusal, 'status' | 'answer'>): boolean {
  return status >= 500 && /^\d{3}[ -]5\.(?:1\.[1236]|1\.10|2\.1)\b/.test(answer);
}

/** A mail over a bound of the day is sent on the next day, a request to confirm never. */
function heldBack(
  isConfirmation: boolean,
  { attempt: made }: ClaimedDelivery,
  { schedule, random }: MailAttemptOptions,
  nowMs: number,
): Outcome {
  // The same words for both: a caller must not learn what others did with an address.
  if (isConfirmation)
    return unsent(
      'not sent: the bound on requests to confirm is reached for today, or the recipient refused them',
    );
  if (made >= schedule.length) return unsent('not sent: the bound on mails of a day is reached');
  const tomorrowMs = (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS;
  const dueAtMs = tomorrowMs + Math.round(random() * HOUR_MS);
  return { ...unsent('the bound on mails of a day is reached'), verdict: { kind: 'retry', dueAtMs } };
}

function unsent(error: string): Outcome {
  return { status: null, answer: '', error, verdict: { kind: 'dead' } };
}

function boxOf({ secrets }: ClaimedDelivery): MailBox | undefined {
  try {
    const box = JSON.parse(secrets[0] ?? '') as Partial<MailBox>;
    return typeof box.address === 'string' && typeof box.stop === 'string' ? (box as MailBox) : undefined;
  } catch {
    return undefined; // a random secret in place of one whose key was lost
  }
}

function typeOf(body: string): string {
  return (JSON.parse(body) as { readonly type: string }).type;
}
