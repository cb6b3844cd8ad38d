import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Server, ServerOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorAnswer } from '../answer/raw-answer.ts';
import { endWithAnswer } from './lingering-end.ts';
import { ConnectionTable } from '../connections/connection-table.ts';
import { oneByOne } from '../connections/one-by-one.ts';
import type { ServerCertificate } from './local-certificate.ts';
import { MAX_HEAD_BYTES, refusePlain } from './plain-refusal.ts';

const TLS_HANDSHAKE = 0x16; // first byte of every TLS connection: a handshake record, RFC 8446 section 5.1
const HEAD_TIMEOUT_MS = 10_000; // timeout for the TLS handshake; also, measured separately, for the head of a request
const REQUEST_TIMEOUT_MS = 30_000; // timeout for the whole request
const CHECK_INTERVAL_MS = 1_000; // interval between two checks for connections that exceed these timeouts
/** Maximum number of header fields of a request. Browsers send about 20, and proxies add a few. */
const MAX_HEADERS = 200;
const KEEP_ALIVE_MS = 65_000; // idle timeout of a connection: longer than the 60 s of common load balancers

/**
 * Accepted ciphers. For TLS 1.2 these are only ciphers with forward secrecy and authenticated encryption.
 * @see https://wiki.mozilla.org/Security/Server_Side_TLS "intermediate"
 */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

export interface SecureListenerOptions {
  readonly certificate: ServerCertificate;
  /** Called with the `Authorization` header of a request over plain HTTP, because its credential is exposed. */
  readonly onExposedCredential: (authorization: string, remoteAddress: string) => void;
  /** Timeout for a TLS handshake, and for the head of a request [ms]; 10 s by default. */
  readonly headTimeoutMs?: number;
  /** Counts the connections, and closes some when there are too many; by default a table without trusted proxies. */
  readonly connections?: ConnectionTable;
}

/**
 * Makes an HTTPS server. It recognises a plain HTTP request on its port by the first byte of the connection, and
 * refuses it with an answer instead of a failed handshake. It is a single
 * `https.Server`, so `listen`, `close` and `address` work as usual. Its `clientError` event must be handled by
 * {@link answerClientError}.
 */
export function secureListener(handler: RequestListener, options: SecureListenerOptions): Server {
  const headTimeoutMs = options.headTimeoutMs ?? HEAD_TIMEOUT_MS;
  const connections = options.connections ?? new ConnectionTable();
  const admitted = admitRequests(handler, connections);
  const server = createServer(
    {
      ...secureContext(options.certificate),
      ALPNProtocols: ['http/1.1', 'http/1.0'], // a client that offers only HTTP/1.0 would get no handshake
      handshakeTimeout: headTimeoutMs,
      maxHeaderSize: MAX_HEAD_BYTES,
      headersTimeout: headTimeoutMs,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      requireHostHeader: false, // the refusal by Node has no error body, so admitRequests answers instead
    },
    admitted,
  );
  server.maxHeadersCount = 0; // by default Node drops headers after the 2,000th, which admitRequests would then not see
  // An unknown `Expect` header may be ignored (RFC 9110 section 10.1.1). By default, Node would answer 417.
  server.on('checkExpectation', admitted);
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    endWithAnswer(socket, errorAnswer('not_found', 'CONNECT is not offered here'));
  });
  server.on('secureConnection', (socket: Socket) => connections.secured(socket));
  peekBeforeTls(server, headTimeoutMs, connections, (socket, first) =>
    refusePlain(socket, first, options.onExposedCredential),
  );
  return server;
}

/** Uses another certificate for new connections; open connections keep their certificate. */
export function replaceCertificate(server: Server, certificate: ServerCertificate): void {
  server.setSecureContext(secureContext(certificate));
}

/**
 * Answers requests that the HTTP parser refuses, in the form of the contract. The error is `not_found` for an unknown
 * method, and `bad_request` for everything else (invalid request line, oversized head, timeout). After a TLS error,
 * the connection is closed without an answer. A connection that never sent a byte is also closed without an answer:
 * browsers open connections in advance, and would treat the answer as the answer to their next request.
 */
export function answerClientError(
  error: Error & { readonly code?: string; readonly reason?: string },
  socket: Duplex,
): void {
  const code = error.code ?? '';
  // The parser knows further methods, of RTSP, which it refuses by another code.
  const isMethod = code === 'HPE_INVALID_METHOD' || error.reason?.startsWith('Invalid method') === true;
  const response = (socket as { readonly _httpMessage?: ServerResponse | null })._httpMessage;
  const begun = response?.headersSent === true;
  const silent = (socket as Partial<Socket>).bytesRead === 0;
  if (
    !socket.writable ||
    begun ||
    silent ||
    !(code.startsWith('HPE_') || code === 'ERR_HTTP_REQUEST_TIMEOUT')
  ) {
    socket.destroy();
    return;
  }
  if (isMethod && response != null && lacksLength(response.req)) {
    const message =
      'expected Content-Length or Transfer-Encoding: chunked with a body, got a body without either';
    endWithAnswer(socket, errorAnswer('bad_request', message));
    return;
  }
  endWithAnswer(
    socket,
    isMethod
      ? errorAnswer('not_found', 'the method is not offered here')
      : errorAnswer('bad_request', clientErrorMessage(code)),
  );
}

/**
 * Whether a request has no body by its head, though its method usually has one. What follows it on the connection is
 * then taken for the next request.
 */
function lacksLength({ method, headers }: IncomingMessage): boolean {
  const isUsual = method === 'POST' || method === 'PUT' || method === 'PATCH';
  return isUsual && headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;
}

function clientErrorMessage(code: string): string {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return `expected a request line and headers of at most ${MAX_HEAD_BYTES} bytes`;
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'the request did not arrive in time';
    default:
      return `expected an HTTP/1.1 request (${code})`;
  }
}

function secureContext(certificate: ServerCertificate): ServerOptions {
  return { cert: certificate.certPem, key: certificate.keyPem, minVersion: 'TLSv1.2', ciphers: CIPHERS };
}

/**
 * Refuses with 400 a request with too many headers, with several Host, Authorization or Content-Type headers, or, in
 * HTTP/1.1, without a Host (RFC 9110 section 5.3, RFC 9112 section 3.2). The requests of a connection begin one after the other: see {@link oneByOne}.
 */
function admitRequests(handler: RequestListener, connections: ConnectionTable): RequestListener {
  return oneByOne((request, response) => {
    connections.arrived(request, response);
    const problem = headProblem(request);
    if (problem === undefined) return handler(request, response);
    endWithAnswer(request.socket, errorAnswer('bad_request', problem, request.method === 'HEAD'));
  });
}

function headProblem({ rawHeaders, httpVersion }: IncomingMessage): string | undefined {
  const count = rawHeaders.length / 2;
  if (count > MAX_HEADERS) return `expected at most ${MAX_HEADERS} headers, got ${count}`;
  const seen = { host: 0, authorization: 0, 'content-type': 0 };
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const { length } = rawHeaders[i]!;
    if (length !== 4 && length !== 12 && length !== 13) continue; // most headers have names of another length
    const name = rawHeaders[i]!.toLowerCase();
    if (name === 'host' || name === 'authorization' || name === 'content-type') seen[name]++;
  }
  if (seen.host > 1) return `expected one Host header, got ${seen.host}`;
  // Of these, Node takes the first, and a proxy that checks them may have looked at the last.
  if (seen.authorization > 1) return `expected one Authorization header, got ${seen.authorization}`;
  if (seen['content-type'] > 1) return `expected one Content-Type header, got ${seen['content-type']}`;
  return seen.host === 0 && httpVersion === '1.1' ? 'expected a Host header' : undefined;
}

/**
 * Inspects the first byte of every connection before the server handles the connection. A TLS connection is passed to
 * the server with the read bytes put back, as soon as its handshake may begin. Any other connection is passed to
 * `onPlain`. A connection that sends nothing for `timeoutMs`, or waits longer for its handshake, is closed.
 */
function peekBeforeTls(
  server: Server,
  timeoutMs: number,
  connections: ConnectionTable,
  onPlain: (socket: Socket, first: Buffer) => void,
): void {
  const startTls = server.listeners('connection')[0] as (socket: Socket) => void;
  server.off('connection', startTls);
  const silent = new Set<Socket>();

  server.on('connection', (socket: Socket) => {
    const cut = (): void => void socket.destroy();
    const look = (): void => {
      const first = socket.read() as Buffer | null;
      if (first === null) return; // the peer closed the connection without sending, or nothing has arrived yet
      socket.off('readable', look).off('end', cut);
      const begin = (): void => {
        silent.delete(socket);
        socket.off('timeout', cut).setTimeout(0);
        if (socket.destroyed) return;
        if (first[0] === TLS_HANDSHAKE) {
          socket.unshift(first);
          startTls.call(server, socket);
        } else onPlain(socket, first);
      };
      if (first[0] === TLS_HANDSHAKE) connections.beginHandshake(socket, begin);
      else begin();
    };
    connections.admit(socket);
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
    socket.on('error', cut).once('end', cut).on('readable', look);
    socket.setTimeout(timeoutMs, cut);
  });

  // `close` waits for all connections except idle ones. Node does not count silent connections as idle, so close them.
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => {
    for (const socket of silent) socket.destroy();
    closeIdle();
  };
}
