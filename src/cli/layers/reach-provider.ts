import { lookup } from 'node:dns/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { Failed } from '../command.ts';

/** Time in which the name of a provider must be resolved [ms]. Name servers usually answer within 0.1 s. */
const RESOLVED_MS = 5_000;

/**
 * Looks up the host of an address before anything is read from it, so that a machine without a network hears of it at
 * once. Other errors, and addresses that are no https, are left to the reader.
 * @param isMirror whether the address was given by `--mirror`
 * @param resolve replaces the name server in tests
 * @throws Failed when the host has no address, or no name server answers in time
 */
export async function reachProvider(
  address: string,
  isMirror: boolean,
  resolve: (host: string) => Promise<unknown> = lookup,
): Promise<void> {
  if (!URL.canParse(address)) return;
  const { protocol, hostname } = new URL(address);
  if (protocol !== 'https:') return;
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const ended = new AbortController();
  const late = pause(RESOLVED_MS, undefined, { signal: ended.signal }).then(
    () => `no name server answers within ${RESOLVED_MS / 1000} s`,
    () => undefined,
  );
  const why = await Promise.race([
    resolve(host).then(
      () => undefined,
      ({ code, message }: NodeJS.ErrnoException) => code ?? message,
    ),
    late,
  ]);
  ended.abort();
  if (why === undefined) return;
  throw new Failed(
    `${host} has no address here (${why}): there is no network, or no name server that knows it. ` +
      (isMirror
        ? 'Give --mirror an address that this machine reaches.'
        : 'Give --mirror the address of a copy that this machine reaches, or take the layers in from a bundle of a ' +
          'machine with a network: groundwatch bundle (docs/closed-networks.md).'),
  );
}
