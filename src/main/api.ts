import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { InvalidInput } from '../base/errors.ts';
import { credentialId } from '../auth/credential-id.ts';
import type { Reached } from '../cli/welcome.ts';
import type { Config } from '../config.ts';
import { buildApp } from '../http/app.ts';
import { ConnectionTable } from '../http/connections/connection-table.ts';
import { buildConsoleInBackground } from '../http/console/build.ts';
import { givenCertificate } from '../http/tls/given-certificate.ts';
import {
  localCertificate,
  type LocalCertificate,
  type ServerCertificate,
} from '../http/tls/local-certificate.ts';
import { answerClientError, replaceCertificate, secureListener } from '../http/tls/secure-listener.ts';
import { addressBlocks, isAllowed } from '../net/address-guard.ts';
import '../sources/layers/installed-catalogue-form.ts'; // at startup: loading it later would delay requests
import type { RedisLimiter } from '../store/redis-limiter.ts';
import { type Installation, STOP_GRACE_MS } from './installation.ts';
import type { InstallationMetrics } from './metrics/installation-metrics.ts';
import { packagedPath } from './packaged-path.ts';
import type { Log } from './process-log.ts';
import { nameOf, runningService } from './service-socket.ts';
import { readSetting } from './setting.ts';

/** Interval between checks for replaced certificate files, and for a local certificate that must be renewed. */
const CERTIFICATE_CHECK_MS = 60_000;

/** A listening server: where it is reached, and how to stop it. */
export interface Listening extends Reached {
  stop(this: void): Promise<void>;
}

/** Starts the HTTP service, with or without the console. @throws InvalidInput when it cannot listen on the address */
export async function startApi(
  installation: Installation,
  metrics: InstallationMetrics,
  withConsole: boolean,
): Promise<Listening> {
  const { config, database, deps, log } = installation;
  if (database.rowSecurityProblem !== undefined)
    log.warn(
      `Row-level security does not keep accounts apart: ${database.rowSecurityProblem} (docs/operations.md)`,
    );
  const proxies = readSetting('GROUNDWATCH_TRUST_PROXY', () => addressBlocks(config.trustProxy));
  const connections = new ConnectionTable((address) => isAllowed(address, proxies));
  const certificate = await certificateOf(config, deps.clock.now());
  const exposed = (authorization: string, remoteAddress: string): void =>
    log.warn(
      `A credential came over plain HTTP from ${remoteAddress} and is exposed: ${credentialId(authorization) ?? 'none of ours'}`,
    );
  let server: ReturnType<typeof secureListener> | undefined;
  const limiter = config.redisUrl === undefined ? undefined : await sharedLimiter(config.redisUrl, log);
  const app = await buildApp({
    deps,
    ...(limiter !== undefined && { limiter }),
    accountLimits: config.accountLimits,
    logLevel: config.logLevel,
    trustProxy: config.trustProxy,
    baseMap: config.baseMap,
    corsOrigins: config.corsOrigins,
    baseUrl: config.baseUrl,
    authUrl: config.authUrl ?? config.baseUrl,
    consoleFolder: withConsole ? packagedPath('web/dist') : undefined,
    onExposedCredential: exposed,
    connections,
    metrics: { include: metrics.include, text: () => metrics.text(false) },
    clientErrorHandler: answerClientError,
    serverFactory: (handler) =>
      (server = secureListener(handler, { certificate, connections, onExposedCredential: exposed })),
  });
  server?.prependListener('request', (_request, response: ServerResponse) => {
    // The next call of this client then goes through the balancer, which chooses a node that stays.
    if (installation.isStopping) response.shouldKeepAlive = false;
  });
  await listen(app, config);
  installation.port = (app.server.address() as AddressInfo).port;
  const building = withConsole ? buildConsoleInBackground({ root: packagedPath('.'), log }) : undefined;
  let { certPem, keyPem } = certificate;
  metrics.certificateEnds(certificate.expiresAtMs);
  const serveCertificate = async (fresh: ServerCertificate): Promise<void> => {
    if (fresh.certPem === certPem && fresh.keyPem === keyPem) return;
    ({ certPem, keyPem } = fresh);
    replaceCertificate(server!, fresh);
    metrics.certificateEnds(fresh.expiresAtMs);
    log.info(`Another certificate is served, until ${new Date(fresh.expiresAtMs).toISOString()}`);
  };
  const renew = (): void => {
    certificateOf(config, deps.clock.now())
      .then(serveCertificate)
      .catch((error: unknown) =>
        log.error(`The certificate stays as it was: the new one cannot be used: ${String(error)}`),
      );
  };
  const renewal = setInterval(renew, CERTIFICATE_CHECK_MS);
  process.on('SIGHUP', renew);
  return {
    base: config.baseUrl ?? `https://localhost:${installation.port}`,
    dataFolder: config.dataFolder,
    caPath: 'caPath' in certificate ? certificate.caPath : undefined,
    hasSandbox: config.sandbox,
    async stop() {
      clearInterval(renewal);
      process.off('SIGHUP', renew);
      building?.stop();
      await building?.done;
      const cut = setTimeout(() => server?.closeAllConnections(), STOP_GRACE_MS);
      await app.close();
      await limiter?.close();
      clearTimeout(cut);
    },
  };
}

/** Opens the shared rate limiter. The Redis client is loaded only when it is used. */
async function sharedLimiter(url: string, log: Log): Promise<RedisLimiter> {
  const { redisLimiter } = await import('../store/redis-limiter.ts');
  return redisLimiter(url, log);
}

/** Listens on the configured address. @throws InvalidInput when it is in use, not of this machine, or not permitted for this user */
export async function listen(
  app: Pick<Awaited<ReturnType<typeof buildApp>>, 'listen'>,
  { host, port, dataFolder }: Pick<Config, 'host' | 'port' | 'dataFolder'>,
): Promise<void> {
  const listenTextResolver = (address: string): string =>
    `Listening at ${address.replace('http:', 'https:')}`;
  try {
    await app.listen({ host, port, listenTextResolver });
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    const why =
      code === 'EADDRINUSE'
        ? await whoListens(dataFolder, port)
        : code === 'EACCES'
          ? 'this user may not'
          : undefined;
    throw new InvalidInput(
      `GROUNDWATCH_HOST, GROUNDWATCH_PORT: cannot listen on ${host}, port ${port}: ${why ?? (cause as Error).message}`,
      { cause },
    );
  }
}

/** Says what listens on a port: the service that runs on the data folder, where it is that one. */
async function whoListens(dataFolder: string, port: number): Promise<string> {
  const running = await runningService(dataFolder);
  return running?.port === port
    ? `Groundwatch of this data folder listens there: ${nameOf(running)}. To start it again, stop that process first`
    : 'another program listens there';
}

async function certificateOf(config: Config, nowMs: number): Promise<ServerCertificate | LocalCertificate> {
  if (config.tlsFiles !== undefined)
    return givenCertificate(config.tlsFiles.cert, config.tlsFiles.key, nowMs);
  const named = config.baseUrl === undefined ? [] : [new URL(config.baseUrl).hostname];
  const hosts = [config.host, hostname(), ...named].filter((host) => host !== '0.0.0.0' && host !== '::');
  return localCertificate({ folder: join(config.dataFolder, 'tls'), hosts: [...new Set(hosts)], nowMs });
}
