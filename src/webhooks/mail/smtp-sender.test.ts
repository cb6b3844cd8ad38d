import assert from 'node:assert/strict';
import { createServer, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { startMailServer } from '../../../test/fixtures/mail-server.ts';
import type { Mail } from '../../app/mail/mail-content.ts';
import { type SmtpServer, SmtpRefusal, smtpSender } from './smtp-sender.ts';

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const MAIL: Mail = {
  subject: 'New incident: Heavy rain at Žalec, since 5 October 2026',
  text: 'Heavy rain at Žalec\n.\nA line with a dot alone stands above.\n',
  html: '<!doctype html><p>Heavy rain at Žalec</p><img src="cid:before@groundwatch">',
  pictures: [{ cid: 'before@groundwatch', png: PNG, alt: 'the ground', caption: 'Before' }],
  thread: 'inc_a',
};
const LETTER = {
  mail: MAIL,
  to: 'ada@example.com',
  stopUrl: 'https://risk.example.com/mail/stop/secret',
  id: 'evt_a.wh_a',
  userAgent: 'Groundwatch/0',
  dateMs: Date.parse('2026-10-06T00:00:00Z'),
};

/** The error of a mail that is not taken. */
const errorOf = (sending: Promise<unknown>): Promise<unknown> =>
  sending.then(
    () => assert.fail('the mail was taken'),
    (thrown: unknown) => thrown,
  );

const to = (port: number, over: Partial<SmtpServer> = {}): SmtpServer => ({
  host: '127.0.0.1',
  port,
  tls: 'off',
  login: () => undefined,
  authorities: undefined,
  from: { name: 'Groundwatch', address: 'alerts@example.com' },
  hostName: () => 'risk.example.com',
  ...over,
});

test('a mail arrives with both parts, its picture and the headers that end it in one click', async () => {
  await using server = await startMailServer();
  const { status, answer } = await smtpSender(to(server.port))(LETTER);
  assert.equal(status, 250);
  assert.match(answer, /^250 .*taken/);
  const [{ from, to: recipient, mail }] = server.taken as [(typeof server.taken)[number]];
  assert.equal(from, 'alerts@example.com');
  assert.equal(recipient, 'ada@example.com');
  const header = (name: string) => mail.headers.get(name);
  assert.equal(header('subject'), MAIL.subject);
  assert.equal(header('from'), 'Groundwatch <alerts@example.com>');
  assert.equal(header('to'), 'ada@example.com');
  assert.equal(header('message-id'), '<evt_a.wh_a@risk.example.com>');
  assert.equal(header('references'), '<inc_a@risk.example.com>');
  assert.equal(header('list-unsubscribe'), '<https://risk.example.com/mail/stop/secret>');
  assert.equal(header('list-unsubscribe-post'), 'List-Unsubscribe=One-Click');
  assert.equal(header('auto-submitted'), 'auto-generated');
  assert.equal(mail.text.replaceAll('\r\n', '\n').trimEnd(), MAIL.text.trimEnd());
  assert.equal(mail.html.trimEnd(), MAIL.html);
  const picture = mail.parts.find(({ type }) => type === 'image/png')!;
  assert.deepEqual(picture.bytes, PNG);
  assert.equal(picture.headers.get('content-id'), '<before@groundwatch>');
  assert.match(picture.headers.get('content-disposition')!, /^inline/);
});

test('no text can add a header or a command', async () => {
  await using server = await startMailServer();
  const evil = 'x\r\nBcc: eve@example.com\r\n\r\n<b>body</b>\r\n.\r\nMAIL FROM:<eve@example.com>';
  const send = smtpSender(to(server.port));
  await send({ ...LETTER, mail: { ...MAIL, subject: evil, thread: evil, text: evil } });
  const [{ mail, to: recipient }] = server.taken as [(typeof server.taken)[number]];
  assert.equal(server.taken.length, 1);
  assert.equal(recipient, 'ada@example.com');
  assert.ok(!mail.headerNames.some((name) => /^bcc$/i.test(name)), mail.headerNames.join());
  assert.match(mail.headers.get('subject')!, /^x\s*Bcc: eve/);
});

test('a refusal says its code and whom it is about', async () => {
  await using server = await startMailServer();
  const send = smtpSender(to(server.port));
  const refused = async (status: number, isOfRecipient: boolean, answer: RegExp): Promise<void> => {
    const error = await errorOf(send(LETTER));
    assert.ok(error instanceof SmtpRefusal, String(error));
    assert.equal(error.status, status);
    assert.equal(error.isOfRecipient, isOfRecipient);
    assert.match(error.answer, answer);
  };
  server.conduct = 'defer';
  await refused(451, true, /^451 4\.7\.1/);
  server.conduct = 'refuse';
  await refused(550, true, /^550 5\.1\.1/);
  server.conduct = 'refuse-text';
  await refused(554, false, /^554 5\.7\.1/);
});

test('a server that is away, hangs, cuts off or dribbles fails within the time limit, and not as a refusal', async (t) => {
  await using server = await startMailServer();
  const failing = async (send: ReturnType<typeof smtpSender>): Promise<string> => {
    const error = await errorOf(send(LETTER));
    assert.ok(error instanceof Error && !(error instanceof SmtpRefusal), String(error));
    return error.message;
  };
  // Which of the two limits ends it depends on how busy the machine is.
  const late = /time limit|[Tt]imeout|Greeting never received/;
  server.conduct = 'hang';
  assert.match(await failing(smtpSender(to(server.port), 300)), late);
  server.conduct = 'cut';
  await failing(smtpSender(to(server.port), 10_000));
  server.conduct = 'take-and-cut';
  await failing(smtpSender(to(server.port), 10_000));
  assert.equal(server.taken.length, 1);

  const dribble = createServer((socket) => {
    const timer = setInterval(() => socket.write('220-'), 20);
    socket.on('close', () => clearInterval(timer)).on('error', () => undefined);
  });
  t.after(() => dribble.close());
  await new Promise<void>((resolve) => dribble.listen(0, '127.0.0.1', resolve));
  const { port } = dribble.address() as AddressInfo;
  assert.match(await failing(smtpSender(to(port), 300)), late);
  await new Promise<void>((resolve) => dribble.close(() => resolve()));
  await failing(smtpSender(to(port), 300)); // nothing listens there any more
});

test('a password goes only over TLS, and a wrong one is no fault of the recipient', async () => {
  await using plain = await startMailServer();
  const withLogin = { login: () => ({ user: 'groundwatch', pass: 'wrong' }) };
  const error = await errorOf(smtpSender(to(plain.port, { ...withLogin, tls: 'starttls' }))(LETTER));
  assert.ok(!(error instanceof SmtpRefusal && error.isOfRecipient), String(error));
  assert.equal(plain.taken.length, 0);

  await using strict = await startMailServer({
    authOptional: false,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ password }, _session, done) =>
      password === 'right' ? done(null, { user: 'groundwatch' }) : done(new Error('wrong password')),
  });
  const refusal = await errorOf(smtpSender(to(strict.port, withLogin))(LETTER));
  assert.ok(
    refusal instanceof SmtpRefusal && refusal.status === 535 && !refusal.isOfRecipient,
    String(refusal),
  );
  await smtpSender(to(strict.port, { login: () => ({ user: 'groundwatch', pass: 'right' }) }))(LETTER);
  assert.equal(strict.taken.length, 1);
});
