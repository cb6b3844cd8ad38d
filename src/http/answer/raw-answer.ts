import { newId } from '../../base/ids.ts';

/** Header value sent with every answer: browsers use only HTTPS for the next year. @see RFC 6797 */
export const STRICT_TRANSPORT_SECURITY = 'max-age=31536000';

const STATUS_LINES = { bad_request: '400 Bad Request', not_found: '404 Not Found' } as const;

/**
 * Returns a complete HTTP/1.1 error answer in the form of the contract, for sockets without a request object. It has
 * the header `Connection: close`.
 * @param head whether to omit the body, as required for an answer to HEAD
 */
export function errorAnswer(code: keyof typeof STATUS_LINES, message: string, head = false): string {
  const requestId = newId('request');
  const body = JSON.stringify({ error: { code, message, request_id: requestId } });
  const headers = [
    `HTTP/1.1 ${STATUS_LINES[code]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    `Strict-Transport-Security: ${STRICT_TRANSPORT_SECURITY}`,
    'Cache-Control: private, no-store',
    `Date: ${new Date().toUTCString()}`, // required by RFC 9110 section 6.6.1
    'Connection: close',
  ];
  return `${headers.join('\r\n')}\r\n\r\n${head ? '' : body}`;
}
