import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import type { SmtpSettings } from '../config.ts';
import { UNWOKEN_MS } from '../store/pulse/pulse.ts';
import { deliveryQueue } from '../store/delivery-queue.ts';
import { mailAttempt } from '../webhooks/mail/mail-attempt.ts';
import { smtpSender } from '../webhooks/mail/smtp-sender.ts';
import { parseSchedule } from '../webhooks/schedule.ts';
import { startDeliveryWorker, type DeliveryWorker } from '../webhooks/worker.ts';
import { extraAuthorities } from './authorities.ts';
import type { Installation } from './installation.ts';
import { readSetting } from './setting.ts';

/**
 * Mails that are sent at once, and how many of an account may hang. Mail servers limit connections, and one that does not
 * answer should hold few.
 */
const LANES = { quick: 8, slow: 16, slowOfAccount: 8 } as const;
const POLL_MS = 500; // interval between queries of the queue: mails may wait longer than webhooks

/**
 * Starts the worker that sends mails; undefined when no mail server is set. It has a queue, lanes and slots of its own, so
 * that a mail server that hangs does not hold back webhooks.
 */
export function startMailWorker(installation: Installation): DeliveryWorker | undefined {
  const { config, database, deps, log, sealing } = installation;
  const baseUrl = (): string => installation.baseUrl();
  if (config.smtp === undefined) return undefined;
  if (config.baseUrl === undefined)
    log.warn(
      `Mails link to ${baseUrl()}, which only this machine reaches: set GROUNDWATCH_BASE_URL to the address of the service`,
    );
  const { host, port, tls, from } = config.smtp;
  const own = extraAuthorities(config);
  const userAgent = `Groundwatch/${deps.version}`;
  return startDeliveryWorker({
    queue: deliveryQueue(database.db, sealing, 'mail'),
    attempt: mailAttempt({
      bounds: deps.storage.mail,
      // Loaded with the first mail: it would double the loading time of commands.
      compose: async (order) =>
        (await import('../app/mail/compose-mail.ts')).composeMail({ ...deps, baseUrl }, order),
      send: smtpSender({
        host,
        port,
        tls,
        from,
        login: loginOf(config.smtp),
        authorities: own === undefined ? undefined : [...rootCertificates, own],
        hostName: () => new URL(baseUrl()).hostname,
      }),
      baseUrl,
      schedule: parseSchedule(config.webhookSchedule),
      userAgent,
      clock: deps.clock,
      random: Math.random,
    }),
    lanes: LANES,
    pollMs: POLL_MS,
    restMs: UNWOKEN_MS,
    onError: (error) => log.error(`Mails: ${String(error)}`),
  });
}

/** Returns the function that reads the login. @throws InvalidInput at once when a file cannot be read */
function loginOf({
  login,
}: Pick<SmtpSettings, 'login'>): () => { readonly user: string; readonly pass: string } | undefined {
  if (login === undefined) return () => undefined;
  const { user, password } = login;
  const read = (): string =>
    'text' in password
      ? password.text
      : readSetting('GROUNDWATCH_SMTP_PASSWORD_FILE', () => readFileSync(password.file, 'utf8').trim());
  read();
  return () => ({ user, pass: read() });
}
