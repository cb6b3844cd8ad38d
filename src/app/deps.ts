import type { NewClientSecret } from './access/manage-clients.ts';
import type { KeyDeps } from './access/manage-keys.ts';
import type { OAuthServer } from './access/oauth.ts';
import type { Authenticator } from './access/principal.ts';
import type { Clock } from './owner.ts';
import type { LayerReader } from './risk/layer-reader.ts';
import type { CubeStore } from './series/cube-store.ts';
import type { SandboxRegion } from './sandbox/sandbox-region.ts';
import type { Storage } from './storage.ts';

/** Checks an address that events are to be sent to; the sentence says what is wrong with it. */
export type CheckCallback = (
  url: string,
) => { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** Everything the use cases need from outside. */
export interface Deps {
  readonly clock: Clock;
  readonly storage: Storage;
  readonly cube: CubeStore;
  /** The simulated region of the sandbox; it takes nothing until it is asked. */
  readonly region: SandboxRegion;
  readonly layers: LayerReader;
  readonly authenticator: Authenticator;
  readonly oauth: OAuthServer;
  readonly newApiKey: KeyDeps['newApiKey'];
  readonly newClientSecret: NewClientSecret;
  readonly checkCallback: CheckCallback;
  readonly newWebhookSecret: () => string;
  /** Calls the delivery worker of this process, if there is one, to look for work at once. */
  readonly wakeDelivery: () => void;
  /** Whether everything needed to answer is there; the sentence says what is not. */
  readonly ready: () => Promise<string | undefined>;
  readonly version: string;
}
