import { readFile, readdir, stat } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { NotFound } from '../../base/errors.ts';
import { CONSOLE_ABSENT_CSP, CONSOLE_ABSENT_PAGE } from './absent-page.ts';
import { preferredCoding } from '../answer/content-coding.ts';

/** What the console may load and do: nothing from anywhere else, and nothing inline. */
export const CONSOLE_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:", // the map library's icons; the images it makes itself
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};

/** Files below it carry a digest of their content in their name. */
const HASHED = 'assets/';
const FOR_EVER = 'public, max-age=31536000, immutable'; // s; a year, the longest that caches understand

/** The files of one build, by the path they are asked under. */
interface Build {
  /** When its index was written [ms]: a later one is another build. */
  readonly writtenMs: number;
  readonly files: ReadonlySet<string>;
}

/**
 * The console at `/`: the files that its build left in a folder and no others. While there is none, a page says so; a
 * build that appears later is served from then on.
 */
export function consoleRoutes(app: FastifyInstance, options: { readonly folder: string }): void {
  const { folder } = options;
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
        .header('Content-Security-Policy', CONSOLE_ABSENT_CSP)
        .send(CONSOLE_ABSENT_PAGE);
    reply.header('Content-Security-Policy', CONSOLE_CSP);
    reply.header('Cross-Origin-Opener-Policy', 'same-origin');
    return answerFile(request, reply, folder, built, 'index.html');
  });
  for (const path of ['/assets/:file', '/favicon.svg']) {
    app.get(path, async (request, reply) => {
      const name = request.url.split('?', 1)[0]!.slice(1);
      const built = await current();
      if (built === undefined || !built.files.has(name)) throw new NotFound('There is nothing at this path');
      reply.header('Cache-Control', name.startsWith(HASHED) ? FOR_EVER : 'no-cache');
      // A worker keeps to the policy of its own file.
      reply.header('Content-Security-Policy', CONSOLE_CSP);
      return answerFile(request, reply, folder, built, name);
    });
  }
}

/** Answers a file of the build, compressed ahead where the caller takes that. */
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
  // As text, so that it is tagged and compressed like every other answer.
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
