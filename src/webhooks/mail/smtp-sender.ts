import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Mail } from '../../app/mail/mail-content.ts';

/** Time for the whole conversation with the mail server about one mail [ms]. A lease lasts longer. */
const SEND_MS = 30_000;

/** Where mails are handed in, and who they are from. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the start, after STARTTLS, or not at all. */
  readonly tls: 'implicit' | 'starttls' | 'off';
  /** Read for each mail, so that a file with a new password is used. */
  readonly login: () => { readonly user: string; readonly pass: string } | undefined;
  /** PEM text of authorities to trust; undefined: the usual ones. */
  readonly authorities: readonly string[] | undefined;
  readonly from: { readonly name: string; readonly address: string };
  /** Name of this service in the identifiers of mails. */
  readonly hostName: () => string;
}

/** A mail with its recipient. */
export interface Letter {
  readonly mail: Mail;
  readonly to: string;
  readonly stopUrl: string;
  /** Identifier of the mail, the same in every attempt: mail programs then show one that arrives twice only once. */
  readonly id: string;
  readonly userAgent: string;
  readonly dateMs: number;
}

/** Answer of the mail server that took the mail. */
export interface Accepted {
  readonly status: number;
  readonly answer: string;
}

/** Hands a mail to the mail server. @throws SmtpRefusal when it refuses, or another error when it cannot be reached */
export type SendLetter = (letter: Letter) => Promise<Accepted>;

/** The mail server refused. */
export class SmtpRefusal extends Error {
  override readonly name = 'SmtpRefusal';
  readonly status: number;
  readonly answer: string;
  /** Whether it refused the recipient, and not the sender, the text or the login. */
  readonly isOfRecipient: boolean;
  constructor(message: string, status: number, answer: string, isOfRecipient: boolean) {
    super(message);
    this.status = status;
    this.answer = answer;
    this.isOfRecipient = isOfRecipient;
  }
}

/**
 * Makes the function that hands mails to a mail server (RFC 5321), each over a connection of its own: mails are few, and
 * a connection that hangs holds up no other mail.
 */
export function smtpSender(server: SmtpServer, sendMs = SEND_MS): SendLetter {
  return async (letter) => {
    const message = await encode(letter, server);
    // Loaded with the first mail: most installations send none.
    const { default: Connection } = await import('nodemailer/lib/smtp-connection');
    const connection = new Connection({
      host: server.host,
      port: server.port,
      secure: server.tls === 'implicit',
      requireTLS: server.tls === 'starttls',
      ignoreTLS: server.tls === 'off',
      connectionTimeout: sendMs,
      greetingTimeout: sendMs,
      socketTimeout: sendMs,
      dnsTimeout: sendMs,
      socketCloseTimeout: 0,
      maxResponseSize: 65_536,
      tls: { minVersion: 'TLSv1.2', ...(server.authorities && { ca: [...server.authorities] }) },
    });
    // The timeouts of the connection begin again with each byte, so a server that dribbles needs another bound.
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error('no whole answer within the time limit')), sendMs);
    const failed = new Promise<never>((_resolve, refuse) => {
      connection.on('error', refuse);
      connection.on('end', () => refuse(new Error('the mail server closed the connection')));
    });
    try {
      return await Promise.race([converse(connection, server, letter, message), failed, late]);
    } finally {
      clearTimeout(timer);
      failed.catch(() => undefined);
      connection.on('error', () => undefined);
      connection.close();
    }
  };
}

async function converse(
  connection: SMTPConnection,
  server: SmtpServer,
  letter: Letter,
  message: Buffer,
): Promise<Accepted> {
  await new Promise<void>((resolve, reject) => connection.connect((error) => settle(error, resolve, reject)));
  const login = server.login();
  if (login !== undefined)
    await new Promise<void>((resolve, reject) =>
      connection.login(login, (error) => settle(error, resolve, reject)),
    );
  const { response } = await new Promise<{ readonly response?: string | undefined }>((resolve, reject) =>
    connection.send(
      { from: server.from.address, to: [letter.to], size: message.length },
      message,
      (error, info) => (error ? reject(refusalOf(error)) : resolve(info)),
    ),
  );
  connection.quit();
  const answer = response ?? '';
  return { status: Number(/^\d{3}/.exec(answer)?.[0] ?? 250), answer };
}

function settle(error: Error | null | undefined, resolve: () => void, reject: (error: Error) => void): void {
  if (error) reject(refusalOf(error));
  else resolve();
}

function refusalOf(error: Error): Error {
  const { responseCode, response, command, code } = error as Error & {
    readonly responseCode?: number;
    readonly response?: string;
    readonly command?: string;
    readonly code?: string;
  };
  if (responseCode === undefined || responseCode < 400) return error;
  const answer = response ?? error.message;
  return new SmtpRefusal(
    `the mail server answered ${responseCode}${command === undefined ? '' : ` to ${command}`}`,
    responseCode,
    answer,
    code === 'EENVELOPE' && command === 'RCPT TO',
  );
}

/** Encodes a mail (RFC 5322, MIME): a plain part, and an HTML part with its pictures. */
async function encode(letter: Letter, { from, hostName }: SmtpServer): Promise<Buffer> {
  const { mail, to, stopUrl, id, userAgent, dateMs } = letter;
  const host = hostName();
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const composer = new MailComposer({
    from,
    to: { name: '', address: to },
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    date: new Date(dateMs),
    messageId: `<${id}@${host}>`,
    ...(mail.thread !== undefined && { references: `<${mail.thread}@${host}>` }),
    headers: {
      // RFC 8058: mail programs end the mails by one POST.
      'List-Unsubscribe': `<${stopUrl}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'Auto-Submitted': 'auto-generated', // RFC 3834: no automatic answers
      'X-Mailer': userAgent,
    },
    attachments: mail.pictures.map(({ cid, png }) => ({
      cid,
      filename: `${cid.replace(/@.*/, '')}.png`,
      content: Buffer.from(png),
      contentType: 'image/png',
    })),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}
