import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { AuditEntry } from '../app/access/audit-store.ts';
import type { AuditTrail } from '../app/access/audit-trail.ts';
import type { Deps } from '../app/deps.ts';
import { Contended, InvalidInput, NotFound, type Problem } from '../base/errors.ts';
import type { Principal } from '../app/access/principal.ts';
import type { KeptAnswer } from '../app/access/idempotency-store.ts';
import type { Storage, Stores } from '../app/storage.ts';
import { type Deprecation } from '../contract/deprecations.ts';
import type { Operation } from '../contract/operation.ts';
import type { WriteAnswer } from './answer/answer.ts';
import { answerSchemas } from './answer/answer-schemas.ts';
import { loadParquet } from '../formats/parquet/parquet-file.ts';
import { serializeLater } from './answer/serialize-later.ts';
import { wantedTable } from './answer/table.ts';
import { varyByAccept } from './answer/vary.ts';
import type { AccountLimits } from '../contract/limits.ts';
import { BODY_UNIT_BYTES } from '../contract/limits.ts';
import { type Handle, listInTurn, refuseLeft, type TakeTurn } from './answer-turns.ts';
import { type CallShares, withinWaits } from './call-shares.ts';
import { gate } from './gate.ts';
import { pathBefore } from './host-address.ts';
import type { CallOn, Preconditions } from './precondition.ts';
import { queryReader } from './query-reader.ts';
import type { RateLimits } from './rate-limit.ts';
import { fromReplica } from './replica-lists.ts';
import { type ScanBody, ScannedBody } from './scanned-body.ts';
import { refuse, schemaChecker } from './validation.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Audit entry to record before a successful answer is sent; null: there is none, or it is already recorded. */
    act: AuditEntry | null;
  }
}

/** Dependencies of every route. */
export interface RouteContext {
  readonly app: FastifyInstance;
  /** Writes an answer. Only for handlers that serialise their answers themselves. */
  readonly writeAnswer: WriteAnswer;
  /**
   * Other dependencies. A storage is not among them: each call has its own, for the caller's account and environment.
   */
  readonly deps: Omit<Deps, 'storage'>;
  /** The storage of all accounts. Only for the uses that are listed in SECURITY.md. */
  readonly acrossAccounts: Storage;
  readonly limits: RateLimits;
  readonly shares: CallShares;
  readonly accountLimits: AccountLimits;
  readonly takeTurn: TakeTurn;
  readonly trail: AuditTrail;
  readonly preconditions: Preconditions;
  readonly deprecations: Readonly<Record<string, Deprecation>>;
}

type Of<O, K extends string> = O extends Readonly<Record<K, infer S extends TSchema>> ? Static<S> : undefined;

/** A validated call of one operation. */
export interface Call<O extends Operation> {
  readonly principal: Principal;
  /** Storage that is restricted to the account and environment of the principal. */
  readonly storage: Storage;
  readonly params: Of<O, 'params'>;
  readonly query: Of<O, 'query'>;
  readonly body: Of<O, 'body'>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** A call of an operation that creates a resource. It runs in one transaction, once per `Idempotency-Key`. */
export interface CreatingCall<O extends Operation> extends Call<O> {
  readonly stores: Stores;
}

/** Name of the limit when other transactions hold the rows of a call for too long. */
const HELD_ROWS = 'writes to the same rows in progress';
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * Registers an operation. A call is checked for credential, rate limit and scope, and is validated. Then the handler
 * runs, and the answer is serialised according to its schema.
 */
export function route<O extends Operation>(
  context: RouteContext,
  operation: O,
  handle: (call: Call<O>) => unknown,
  scanBody?: ScanBody,
): void {
  const callOn: CallOn = (storage, request, reply, query) =>
    handle({
      principal: request.principal!,
      storage,
      params: request.params as Of<O, 'params'>,
      query: query as Of<O, 'query'>,
      body: request.body as Of<O, 'body'>,
      request,
      reply,
    });
  const { preconditions, shares } = context;
  preconditions.add(operation, callOn);
  const { replica } = context.deps;
  const call: Handle = (request, reply, query) => {
    const primary = context.acrossAccounts.boundTo(request.principal!);
    if (replica === undefined || operation.onReplica !== true) return callOn(primary, request, reply, query);
    return fromReplica(replica, request.principal!, reply, primary, (storage) =>
      callOn(storage, request, reply, query),
    );
  };
  const isEmpty = operation.answers.every(({ status }) => status === 204);
  const change: Handle = async (request, reply, query) => {
    const storage = context.acrossAccounts.boundTo(request.principal!);
    const made = await preconditions
      .run(operation, storage, request, reply, (given) => callOn(given, request, reply, query))
      .catch((error: unknown) => {
        throw error instanceof Contended ? shares.refuse(request, HELD_ROWS, 1) : error;
      });
    return isEmpty ? reply.code(204).send() : made;
  };
  const isChange = operation.method === 'PATCH' || operation.method === 'DELETE';
  const called = isChange ? change : call;
  const audited: Handle = (request, reply, query) => {
    request.act = auditEntry(operation, request);
    return called(request, reply, query);
  };
  register(context, operation, operation.recorded === true ? audited : called, scanBody);
}

/** Registers an operation that creates a resource. Its handler returns status, location and body of the answer. */
export function creatingRoute<O extends Operation>(
  context: RouteContext,
  operation: O,
  handle: (call: CreatingCall<O>) => Promise<KeptAnswer>,
  { announce: say, explain }: CreatingExtras<O> = {},
): void {
  // If an operation declares 201 but answers another status, the requested resource already existed.
  const mayMake = operation.answers.some(({ status }) => status === 201);
  register(
    context,
    operation,
    async (request, reply, query) => {
      const principal = request.principal!;
      const key = idempotencyKey(request);
      const storage = context.acrossAccounts.boundTo(principal);
      say?.(request.body as Of<O, 'body'>, reply);
      const asked = [request.body, query, request.params];
      // The stored answer contains a secret. The hash includes the credential, so that no other credential can replay it.
      if (operation.givesSecret) asked.push(principal.keyId);
      const create = async (stores: Stores): Promise<KeptAnswer> => {
        const kept =
          key === undefined
            ? undefined
            : await stores.idempotency.claim(principal, key, operation.id, hashOf(asked));
        if (kept !== undefined) return kept;
        const made = await handle({
          principal,
          storage,
          params: request.params as Of<O, 'params'>,
          query: query as Of<O, 'query'>,
          body: request.body as Of<O, 'body'>,
          request,
          reply,
          stores,
        });
        if (key !== undefined) await stores.idempotency.keep(principal, key, made);
        if (made.status === 201 || !mayMake)
          await stores.audit.record([auditEntry(operation, request, made.location?.split('/').at(-1))]);
        return made;
      };
      const answer = await storage.transaction(create).catch((error: unknown) => {
        throw error instanceof Contended ? context.shares.refuse(request, HELD_ROWS, 1) : error;
      });
      if (answer.location !== undefined) reply.header('Location', pathBefore(request) + answer.location);
      return reply.code(answer.status).send(answer.body);
    },
    undefined,
    explain,
  );
}

/** What a creating operation may have besides its handler. */
interface CreatingExtras<O extends Operation> {
  /** Sets headers that tell something about the body, also where a kept answer is given again. */
  readonly announce?: (body: Of<O, 'body'>, reply: FastifyReply) => void;
  readonly explain?: Explain;
}

/** Refuses a body that does not fit its schema with more faults than the schema finds; may return without doing so. */
type Explain = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

function auditEntry(
  { id: action, wholeAccount }: Operation,
  { principal, params, ip: address, id: requestId }: FastifyRequest,
  made?: string,
): AuditEntry {
  const { keyId: actor, accountId } = principal!;
  const environment = wholeAccount ? null : principal!.environment;
  const named = Object.values((params ?? {}) as Readonly<Record<string, string>>).join('/') || null;
  const target = made ?? named;
  return { actor, action, target, accountId, environment, address, requestId, result: 'done', count: 1 };
}

function register(
  { app, deps, limits, shares, takeTurn, trail, deprecations }: RouteContext,
  operation: Operation,
  handleCall: Handle,
  scanBody?: ScanBody,
  explain?: Explain,
): void {
  const deprecation = deprecations[operation.id];
  const readQuery = queryReader(operation.query?.properties ?? {});
  const checkQuery = schemaChecker(operation.query ?? NOTHING, 'The query', 'parameter');
  const checkJson = operation.body && schemaChecker(operation.body, 'The body', 'field');
  const checkBody = ({ body }: FastifyRequest): readonly Problem[] => {
    if (checkJson === undefined) return noBody(body);
    return body instanceof ScannedBody ? [] : checkJson(body);
  };
  const handle =
    'limit' in (operation.query?.properties ?? {}) ? listInTurn(handleCall, takeTurn) : handleCall;
  const list = operation.answers.find(({ table }) => table !== undefined);
  const columns = list?.table;
  const pass = gate(operation, { ...deps, limits, shares, trail });
  const url = operation.path.replaceAll(/\{(\w+)\}/g, ':$1');
  const named = { id: operation.id, path: url, scanBody, isRead: operation.method === 'GET' };
  app.route({
    method: operation.method,
    url,
    ...(operation.bodyBytes !== undefined && { bodyLimit: operation.bodyBytes }),
    schema: { response: answerSchemas(operation) },
    serializerCompiler: serializeLater(app),
    onRequest: (request, reply, done) => {
      request.operation = named;
      if (deprecation !== undefined) announce(deprecation, reply);
      return pass(request, reply, done);
    },
    handler: (request, reply) => {
      refuseLeft(request); // the look-up of the credential and the body may have taken long
      const bodyUnits = Math.floor((request.held ?? 0) / BODY_UNIT_BYTES);
      if (bodyUnits > 0) void limits.owe(request.principal!, bodyUnits, reply);
      if (operation.params !== undefined) refuseEmptyName(request);
      const query = readQuery(queryText(request));
      const inQuery = checkQuery(query);
      const inBody = checkBody(request);
      if (inQuery.length + inBody.length > 0) {
        const plainly = (): void => refuse([...inQuery, ...inBody]);
        return explain === undefined || inQuery.length > 0
          ? plainly()
          : explain(request, reply).then(plainly);
      }
      if (columns !== undefined) {
        varyByAccept(reply);
        const format = wantedTable(request, query['f'], list?.geojson !== undefined);
        if (format !== undefined) request.table = { format, columns };
        if (format === 'parquet')
          return loadParquet().then(() => withinWaits(() => handle(request, reply, query)));
      }
      return withinWaits(() => handle(request, reply, query));
    },
  });
}

const hashOf = (value: unknown): Buffer => createHash('sha256').update(JSON.stringify(value)).digest();
const NOTHING = { type: 'object', properties: {}, additionalProperties: false };

/** Refuses an empty path parameter. The router accepts `/v1/aois/` as an area with an empty id. @throws NotFound */
function refuseEmptyName({ params, url }: FastifyRequest): void {
  if (Object.values(params as Readonly<Record<string, string>>).includes(''))
    throw new NotFound(`There is nothing at ${url.split('?', 1)[0]}`);
}

function noBody(body: unknown): readonly Problem[] {
  if (body === undefined || body === null) return [];
  if (typeof body === 'object' && Object.keys(body).length === 0) return [];
  return [{ param: '', message: 'The body: expected none here' }];
}

function queryText(request: FastifyRequest): string {
  const url = request.raw.url ?? '';
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at + 1);
}

function idempotencyKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !IDEMPOTENCY_KEY.test(key))
    throw new InvalidInput('Idempotency-Key: expected 1 to 255 visible ASCII characters', {
      param: 'Idempotency-Key',
    });
  return key;
}

/** Sets the headers of a deprecated operation. @see RFC 9745, RFC 8594 */
function announce(deprecation: Deprecation, reply: FastifyReply): void {
  reply.header('Deprecation', `@${deprecation.since}`);
  reply.header('Sunset', new Date(deprecation.sunset * 1000).toUTCString());
  reply.header('Link', `<${deprecation.link}>; rel="deprecation"; type="text/html"`);
}
