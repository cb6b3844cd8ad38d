import type { Readable } from 'node:stream';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AuditTrail } from '../../app/access/audit-trail.ts';
import { InvalidInput, RateLimited } from '../../base/errors.ts';
import {
  OAuthRefusal,
  type OAuthErrorCode,
  type OAuthForm,
  type OAuthServer,
} from '../../app/access/oauth.ts';
import { SCOPES } from '../../contract/scopes.ts';
import type { Log } from '../answer/log.ts';
import { clientOfForm, readForm } from './oauth-form.ts';
import type { ReadBody } from '../body-reader.ts';
import { AWAY } from '../error-handler.ts';
import { type CallShares, isAway } from '../call-shares.ts';
import type { RateLimits } from '../rate-limit.ts';

/**
 * Time for which the public keys and the metadata may be cached [s]. A new key is published an hour before it signs
 * tokens.
 */
const KEYS_AGE_S = 300;

const FORM_TYPE = 'application/x-www-form-urlencoded';

interface OAuthParts {
  readonly oauth: OAuthServer;
  readonly limits: RateLimits;
  readonly shares: CallShares;
  readonly readBody: ReadBody;
  readonly trail: AuditTrail;
  readonly log: Log;
}

type Body = OAuthForm | undefined;

/**
 * Registers the authorization server: `/oauth/token` and `/oauth/revoke` (RFC 6749, RFC 7009), its metadata (RFC 8414)
 * and its public keys (RFC 7517). Errors have the form of RFC 6749.
 */
export async function oauthRoutes(app: FastifyInstance, parts: OAuthParts): Promise<void> {
  metadataRoutes(app, parts);
  await app.register((forms, _options, done) => {
    takeFormsOnly(forms, parts.readBody);
    formRoutes(forms, parts);
    done();
  });
}

function metadataRoutes(app: FastifyInstance, { oauth, limits }: OAuthParts): void {
  app.get('/.well-known/oauth-authorization-server', async (_request, reply) => {
    await limits.showAddress(reply);
    return reply.header('Cache-Control', `public, max-age=${KEYS_AGE_S}`).send(metadataOf(oauth));
  });
  app.get('/.well-known/jwks.json', async (_request, reply) => {
    await limits.showAddress(reply);
    const keys = await oauth.publicKeys();
    return reply
      .header('Cache-Control', `public, max-age=${KEYS_AGE_S}`)
      .type('application/jwk-set+json')
      .send(JSON.stringify({ keys }));
  });
}

/** Returns the metadata of the authorization server (RFC 8414 section 2). */
function metadataOf(oauth: OAuthServer): object {
  const { signatures } = oauth;
  const issuer = oauth.issuer();
  const methods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'];
  return {
    issuer,
    token_endpoint: `${issuer}/oauth/token`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    response_types_supported: [],
    grant_types_supported: ['client_credentials', 'refresh_token'],
    scopes_supported: SCOPES,
    token_endpoint_auth_methods_supported: methods,
    token_endpoint_auth_signing_alg_values_supported: signatures,
    revocation_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_signing_alg_values_supported: signatures,
    dpop_signing_alg_values_supported: signatures,
    service_documentation: `${issuer}/docs`,
  };
}

function takeFormsOnly(forms: FastifyInstance, readBody: ReadBody): void {
  forms.removeAllContentTypeParsers();
  forms.addContentTypeParser(FORM_TYPE, async (request: FastifyRequest, payload: Readable) =>
    readForm(await readBody(request, payload)),
  );
  forms.addHook('onRequest', (_request, reply, next) => {
    reply.header('Cache-Control', 'no-store').header('Pragma', 'no-cache');
    next();
  });
}

function formRoutes(forms: FastifyInstance, { oauth, limits, shares, trail, log }: OAuthParts): void {
  const note = (request: FastifyRequest, result: string): void => {
    const { accountId, environment, keyId: actor } = request.principal ?? NOBODY;
    const action = request.routeOptions.url ?? 'oauth';
    trail.note({ actor, action, accountId, environment, address: request.ip, result });
  };
  forms.setErrorHandler((error, request, reply) => {
    if (error instanceof OAuthRefusal) note(request, `${error.code}: ${error.message}`);
    answerOAuthError(error, { request, reply, log, shares });
  });

  /** Returns the form and its authenticated client. Failed authentications are counted for the caller's address. */
  const clientOf = async (request: FastifyRequest<{ Body: Body }>, reply: FastifyReply) => {
    await limits.showAddress(reply);
    const form = request.body ?? new Map<string, string>();
    try {
      const credentials = clientOfForm(form, request.headers.authorization);
      const client = await oauth.clientOf(credentials, form.get('grant_type'));
      const { accountId, environment, id: keyId, rateLimit } = client;
      request.principal = { accountId, environment, keyId, rateLimit, scopes: new Set(client.scopes) };
      const isProven = credentials.secret !== undefined || credentials.assertion !== undefined;
      await limits.chargeTokens(request.principal, isProven, reply);
      return { form, client };
    } catch (error) {
      if (error instanceof OAuthRefusal && error.code === 'invalid_client') await limits.chargeFailure(reply);
      throw error;
    }
  };
  forms.post<{ Body: Body }>('/oauth/token', (request, reply) =>
    shares.asStranger(reply, async () => {
      const { form, client } = await clientOf(request, reply);
      const issued = await oauth.issue(client, form, request);
      note(request, 'done');
      return {
        access_token: issued.accessToken,
        token_type: issued.type,
        expires_in: issued.expiresInS,
        scope: issued.scopes.join(' '),
        refresh_token: issued.refreshToken,
      };
    }),
  );
  forms.post<{ Body: Body }>('/oauth/revoke', async (request, reply) => {
    await shares.asStranger(reply, async () => {
      const { form, client } = await clientOf(request, reply);
      const token = form.get('token');
      if (token === undefined) throw new OAuthRefusal('invalid_request', 'token: required, but missing');
      await oauth.revoke(client, token);
      note(request, 'done');
    });
    return reply.send();
  });
}

const NOBODY = { keyId: 'anonymous', accountId: null, environment: null };

interface OAuthProblem {
  readonly status: number;
  readonly error: OAuthErrorCode | 'temporarily_unavailable' | 'server_error';
  readonly message: string;
}

function problemOf(error: unknown): OAuthProblem {
  if (error instanceof OAuthRefusal)
    return { status: error.code === 'invalid_client' ? 401 : 400, error: error.code, message: error.message };
  // RFC 6749 has no code for rate limits. `temporarily_unavailable` means "try again later".
  if (error instanceof RateLimited)
    return { status: 429, error: 'temporarily_unavailable', message: error.message };
  const { code, statusCode, message } = error as Partial<FastifyError>;
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return { status: 400, error: 'invalid_request', message: `Content-Type: expected ${FORM_TYPE}` };
  if (error instanceof InvalidInput || (statusCode !== undefined && statusCode < 500))
    return { status: 400, error: 'invalid_request', message: message ?? 'The request cannot be read' };
  return { status: 500, error: 'server_error', message: 'Something went wrong here. Try again later.' };
}

function answerOAuthError(
  thrown: unknown,
  {
    request,
    reply,
    log,
    shares,
  }: Pick<OAuthParts, 'log' | 'shares'> & {
    readonly request: FastifyRequest;
    readonly reply: FastifyReply;
  },
): void {
  const problem = problemOf(shares.asRefusal(thrown, request));
  if (problem.status === 500) log.error({ request_id: request.id, err: thrown }, 'request failed');
  if (isAway(thrown)) log.warn({ request_id: request.id, err: thrown }, AWAY);
  if (problem.status === 401) reply.header('WWW-Authenticate', 'Basic realm="groundwatch", charset="UTF-8"');
  const description = problem.message.replaceAll(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "'");
  void reply.code(problem.status).send({ error: problem.error, error_description: description });
}
