import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { NotFound } from '../base/errors.ts';
import type { RateLimits } from './rate-limit.ts';

interface PathMethods {
  readonly url: string;
  readonly pattern: RegExp;
  readonly methods: Set<string>;
}

/**
 * Returns a list that collects the methods of every path that is registered after this call. From now on an `OPTIONS` that
 * is no preflight request of a browser is refused like any other unknown method, before a plugin for these requests
 * answers it.
 */
export function collectMethods(app: FastifyInstance, limits: RateLimits): readonly PathMethods[] {
  const byUrl = new Map<string, Set<string>>();
  const list: PathMethods[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    if (url === '*') return; // preflight requests
    let methods = byUrl.get(url);
    if (methods === undefined) {
      byUrl.set(url, (methods = new Set()));
      list.push({ url, pattern: new RegExp(`^${url.replaceAll(/:\w+/g, '[^/]+')}$`), methods });
    }
    for (const name of [method].flat()) methods.add(name);
  });
  refusePlainOptions(app, pathRefusal(list, limits));
  return list;
}

type RefusePath = (request: FastifyRequest, reply: FastifyReply) => Promise<never>;

/** Makes the function that refuses a path or a method, with `Allow` where the path exists. */
function pathRefusal(methodsByPath: readonly PathMethods[], limits: RateLimits): RefusePath {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<never> => {
    const path = request.url.split('?', 1)[0]!;
    // Several patterns may match a path, and then the one without parameters counts: nothing but `POST` leads anywhere
    // at `/v1/anomalies/subscribe`, although `GET` of an anomaly of that name is taken and answered 404.
    const matching = methodsByPath.filter(({ pattern }) => pattern.test(path));
    const exact = matching.filter(({ url }) => url === path);
    const methods = new Set((exact.length > 0 ? exact : matching).flatMap((known) => [...known.methods]));
    if (methods.size > 0) reply.header('Allow', [...methods].toSorted().join(', '));
    await limits.showAddress(reply);
    throw new NotFound(
      methods.size === 0 ? `There is nothing at ${path}` : `There is no ${request.method} at ${path}`,
    );
  };
}

function refusePlainOptions(app: FastifyInstance, refuse: RefusePath): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { origin, 'access-control-request-method': method } = request.headers;
    if (request.method === 'OPTIONS' && (!origin || !method)) return refuse(request, reply);
    done();
    return undefined;
  });
}

/**
 * Answers 404 to an unknown path. Answers 404 with `Allow` to an unknown method of a known path. The hook answers
 * before the framework looks at the body, which it would refuse with 400 for some methods and media types.
 */
export function refuseUnknownPaths(
  app: FastifyInstance,
  methodsByPath: readonly PathMethods[],
  limits: RateLimits,
): void {
  const refuse = pathRefusal(methodsByPath, limits);
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) return refuse(request, reply);
    done();
    return undefined;
  });
  app.setNotFoundHandler(refuse); // without a handler of its own, the framework runs no hooks here
}

/** Clients of OGC APIs and of STAC also ask for `/ogc/` and `/stac/`, and for what is below with a slash at the end. */
export function withoutLastSlash(url: string): string {
  return /^\/(?:ogc|stac)(?:\/|$)/.test(url) ? url.replace(/\/(?=$|\?)/, '') : url;
}
