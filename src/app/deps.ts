import type { NewClientSecret } from './access/manage-clients.ts';
import type { KeyDeps } from './access/manage-keys.ts';
import type { OAuthServer } from './access/oauth.ts';
import type { Authenticator } from './access/principal.ts';
import type { People } from './access/sign-in.ts';
import type { Clock } from './clock.ts';
import type { LayerReader } from './risk/layer-reader.ts';
import type { CubeStore } from './series/cube-store.ts';
import type { PictureMaker } from './pictures/picture-maker.ts';
import type { SandboxRegion } from './sandbox/sandbox-region.ts';
import type { ReplicaReads, Storage } from './storage.ts';

/** Checks the URL of a webhook endpoint; `reason` is a sentence that explains why the URL is refused. */
export type CheckCallback = (
  url: string,
) => { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** What e-mail endpoints need. */
export interface MailParts {
  /** Makes the secret of a link. */
  readonly newLinkSecret: () => string;
}

/** Dependencies of the use cases. */
export interface Deps {
  readonly clock: Clock;
  readonly storage: Storage;
  /** A replica of the database for lists; undefined when none is set. */
  readonly replica?: ReplicaReads | undefined;
  readonly cube: CubeStore;
  /** The simulated region of the sandbox. It runs in a worker thread, which starts at the first call. */
  readonly region: SandboxRegion;
  readonly layers: LayerReader;
  readonly pictures: PictureMaker;
  readonly authenticator: Authenticator;
  /** Sign-in of people; undefined when no OpenID provider is set. */
  readonly people?: People | undefined;
  readonly oauth: OAuthServer;
  readonly newApiKey: KeyDeps['newApiKey'];
  readonly newClientSecret: NewClientSecret;
  readonly checkCallback: CheckCallback;
  readonly newWebhookSecret: () => string;
  /** E-mail; undefined when no mail server is set. */
  readonly mail?: MailParts | undefined;
  /** Makes the delivery worker of this process, if there is one, look for work at once. */
  readonly wakeDelivery: () => void;
  /** Readiness check. Returns undefined when requests can be answered, else a sentence that names the problem. */
  readonly ready: () => Promise<string | undefined>;
  /** Returns undefined when all requests can be answered, else a sentence that says which cannot. Does not throw. */
  readonly shortage: () => Promise<string | undefined>;
  readonly version: string;
}
