import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CONFIRM_PATH, STOP_PATH } from '../../app/mail/link-paths.ts';
import type { Storage } from '../../app/storage.ts';
import type { LinkedEndpoint } from '../../app/webhooks/mail-store.ts';
import type { ReadBody } from '../body-reader.ts';
import { FORM_PAGE_CSP, plainPage } from '../plain-page.ts';
import type { RateLimits } from '../rate-limit.ts';

interface LinkParts {
  /** The storage of all accounts: a link has no credential, and its secret names the endpoint. */
  readonly storage: Pick<Storage, 'mail'>;
  readonly limits: RateLimits;
  readonly readBody: ReadBody;
}

/** Texts of a link: its page, and the pages after it was used. */
interface LinkPages {
  readonly title: string;
  readonly question: string;
  readonly button: string;
  readonly done: string;
  /** After a secret that is unknown, used or too old. */
  readonly undone: string;
}

const CONFIRM: LinkPages = {
  title: 'Confirm this address',
  question: 'Should this service send events to your e-mail address?',
  button: 'Yes, send them',
  done: 'Confirmed: events are sent to your address from now on. Each mail has a link that ends this.',
  undone: 'This link does not work any more. It works once, and for a day. Ask for another mail.',
};
/** The same words for a secret that nobody has: mails that do not exist have ended too. */
const STOP: LinkPages = {
  title: 'End these mails',
  question: 'Should this service stop sending these mails to your address?',
  button: 'Yes, end them',
  done: 'You get no more of these mails.',
  undone: 'You get no more of these mails.',
};

/** No step is cached, named to other sites, or carried out by a HEAD request. */
const OPTIONS = {
  exposeHeadRoute: false,
  onRequest: (_request: FastifyRequest, reply: FastifyReply, next: () => void): void => {
    reply.header('Cache-Control', 'no-store').header('Referrer-Policy', 'no-referrer');
    next();
  },
} as const;

/**
 * Registers the links in mails. They work without a credential, by the secret in them. GET only shows a page with a
 * button, because mail programs and their filters follow links; POST does what the link says. The POST of the link that
 * ends mails is also what mail programs send by themselves (RFC 8058): it takes any body.
 */
export async function mailLinkRoutes(app: FastifyInstance, parts: LinkParts): Promise<void> {
  await app.register((links, _options, done) => {
    links.removeAllContentTypeParsers();
    links.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) => {
      await parts.readBody(request, payload);
    });
    linkRoutes(links, CONFIRM_PATH, CONFIRM, parts, 'confirmMail', (secret) =>
      parts.storage.mail.confirm(secret),
    );
    linkRoutes(links, STOP_PATH, STOP, parts, 'stopMail', (secret) => parts.storage.mail.stop(secret));
    done();
  });
}

function linkRoutes(
  app: FastifyInstance,
  path: string,
  pages: LinkPages,
  { limits }: LinkParts,
  action: string,
  use: (secret: string) => Promise<LinkedEndpoint | undefined>,
): void {
  type Link = { Params: { secret: string } };
  app.get<Link>(`${path}/:secret`, OPTIONS, async (_request, reply) => {
    await limits.chargeFailure(reply);
    return answer(
      reply,
      200,
      pages.title,
      `<p>${pages.question}</p>
<form method="post"><button type="submit">${pages.button}</button></form>`,
    );
  });
  app.post<Link>(`${path}/:secret`, OPTIONS, async (request, reply) => {
    await limits.chargeFailure(reply);
    const found = await use(request.params.secret);
    if (found === undefined)
      return answer(reply, pages.undone === pages.done ? 200 : 404, pages.title, `<p>${pages.undone}</p>`);
    const { id: target, accountId, environment } = found;
    request.act = {
      actor: 'recipient',
      action,
      target,
      accountId,
      environment,
      address: request.ip,
      requestId: request.id,
      result: 'done',
      count: 1,
    };
    return answer(reply, 200, pages.title, `<p>${pages.done}</p>`);
  });
}

function answer(reply: FastifyReply, status: number, title: string, body: string): FastifyReply {
  return reply
    .code(status)
    .header('Content-Security-Policy', FORM_PAGE_CSP)
    .type('text/html; charset=utf-8')
    .send(plainPage({ title: `Groundwatch: ${title.toLowerCase()}`, body: `<h1>${title}</h1>\n${body}` }));
}
