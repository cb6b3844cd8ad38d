import { domainToASCII } from 'node:url';
import { EMAIL_LENGTH } from '../../contract/limits.ts';

/**
 * Local part of an address without quotes, as HTML's e-mail input has it: no space, no control character, none of
 * `"(),:;<>@[\]`. So an address can end neither a header nor a command of SMTP.
 */
const LOCAL = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}$/;
const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/**
 * Parses an e-mail address. The domain becomes lower case and ASCII (IDNA).
 * @returns undefined for what is none, or one that cannot be reached over the Internet: quoted local parts, domains
 * without a dot, addresses of machines
 */
export function parseMailAddress(text: string): string | undefined {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(0, at));
  const domain = domainToASCII(text.slice(at + 1)).toLowerCase();
  const labels = domain.split('.');
  const isDomain =
    labels.length >= 2 && labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1)!);
  const address = `${local}@${domain}`;
  return LOCAL.test(local) && isDomain && address.length <= EMAIL_LENGTH ? address : undefined;
}
