import type { Role } from './roles.ts';

/** Cookie of a signed-in person's session. The prefix makes browsers keep it to this host, path `/` and HTTPS. */
export const SESSION_COOKIE = '__Host-groundwatch-session';
/** Header of a call with a session: id of the account that the call is about. */
export const ACCOUNT_HEADER = 'Groundwatch-Account';
/** Header of a call with a session: environment that the call is about. */
export const ENVIRONMENT_HEADER = 'Groundwatch-Environment';

/** A membership of a signed-in person. */
export interface Membership {
  /** Id of the member. */
  readonly id: string;
  readonly account: { readonly id: string; readonly name: string };
  readonly email: string;
  readonly role: Role;
}

/** What `GET /auth/session` tells the console. */
export interface SessionState {
  /** Whether people can sign in: a provider is set. */
  readonly sign_in: boolean;
  /** Accounts of the signed-in person, by name; null: nobody is signed in. */
  readonly members: readonly Membership[] | null;
}
