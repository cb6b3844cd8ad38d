import { readFile, readdir, stat } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { NotFound } from '../../base/errors.ts';
import { PLAIN_PAGE_CSP } from '../plain-page.ts';
import { CONSOLE_ABSENT_PAGE } from './absent-page.ts';
import { preferredCoding } from '../answer/content-coding.ts';
import { baseMapRoutes } from './base-map.routes.ts';

/** A base map of another host, which browsers load from there. */
export interface OtherBaseMap {
  readonly kind: 'tiles' | 'style';
  readonly url: string;
  readonly origin: string;
  readonly attribution: string;
}

/** Content-Security-Policy of the console: nothing from other origins, and nothing inline. */
export const CONSOLE_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:", // icons of the map library, and images that it generates
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The policy with the host of a base map, from which tiles, glyphs and sprites are fetched. */
function policyWith(baseMap: OtherBaseMap | undefined): string {
  return baseMap === undefined
    ? CONSOLE_CSP
    : CONSOLE_CSP.replace("connect-src 'self'", `connect-src 'self' ${baseMap.origin}`);
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.tsv': 'text/tab-separated-values; charset=utf-8',
};

/** Folder of the build in which the name of every file contains a digest of its content. */
const HASHED = 'assets/';
const FOREVER = 'public, max-age=31536000, immutable'; // a year [s], the maximum that caches support

/** One build of the console. `files` are the paths under which its files are requested. */
interface Build {
  /** Modification time of the index file [ms]. If it changes, the folder contains another build. */
  readonly writtenMs: number;
  readonly files: ReadonlySet<string>;
}

/**
 * Serves the console at `/`: the files of a build folder and no others. While the folder contains no build, answers
 * with a page that explains this. Each request checks for a new build.
 */
export function consoleRoutes(
  app: FastifyInstance,
  options: { readonly folder: string; readonly baseMap?: OtherBaseMap | undefined },
): void {
  const { folder, baseMap } = options;
  const policy = policyWith(baseMap);
  let build: Build | undefined;
  const current = async (): Promise<Build | undefined> => {
    const index = await stat(join(folder, 'index.html')).catch(() => undefined);
    if (index === undefined) return undefined;
    if (build?.writtenMs !== index.mtimeMs)
      build = { writtenMs: index.mtimeMs, files: await filesOf(folder) };
    return build;
  };

  app.get('/', async (request, reply) => {
    reply.header('Cache-Control', 'no-cache').header('Referrer-Policy', 'no-referrer');
    const built = await current();
    if (built === undefined)
      return reply
        .type(TYPES['.html']!)
        .header('Content-Security-Policy', PLAIN_PAGE_CSP)
        .send(CONSOLE_ABSENT_PAGE);
    reply.header('Content-Security-Policy', policy);
    reply.header('Cross-Origin-Opener-Policy', 'same-origin');
    return answerFile(request, reply, folder, built, 'index.html');
  });
  baseMapRoutes(app, options);
  // Which base map the console shows; without a setting its own.
  app.get('/base-map', (_request, reply) =>
    reply
      .header('Cache-Control', 'no-cache')
      .send(
        baseMap === undefined
          ? { kind: 'own' }
          : { kind: baseMap.kind, url: baseMap.url, attribution: baseMap.attribution },
      ),
  );
  for (const path of ['/assets/:file', '/favicon.svg']) {
    app.get(path, async (request, reply) => {
      const name = request.url.split('?', 1)[0]!.slice(1);
      const built = await current();
      if (built === undefined || !built.files.has(name)) throw new NotFound('There is nothing at this path');
      reply.header('Cache-Control', name.startsWith(HASHED) ? FOREVER : 'no-cache');
      // Script files need this header too: a web worker is subject to the policy sent with its own script.
      reply.header('Content-Security-Policy', policy);
      return answerFile(request, reply, folder, built, name);
    });
  }
}

/** Answers with a file of the build, in its precompressed form if the caller accepts that form. */
async function answerFile(
  request: FastifyRequest,
  reply: FastifyReply,
  folder: string,
  build: Build,
  name: string,
): Promise<FastifyReply> {
  reply.type(TYPES[extname(name)] ?? 'application/octet-stream');
  const packed = `${name}.br`;
  if (build.files.has(packed)) {
    reply.header('Vary', 'Accept-Encoding');
    if (preferredCoding(request.headers['accept-encoding'], ['br']) === 'br')
      return reply.header('Content-Encoding', 'br').send(await readFile(join(folder, packed)));
  }
  // The file is sent as text, so that it gets a tag and is compressed like other answers.
  return reply.send(await readFile(join(folder, name), 'utf8'));
}

async function filesOf(folder: string): Promise<ReadonlySet<string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return new Set(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/')),
  );
}
