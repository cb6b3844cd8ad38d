import type { Role } from '../../contract/people/roles.ts';
import type { Page, PageRequest } from '../page.ts';

/** What names a person for good: the OpenID provider and its name for the person. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

/** A person in an account. */
export interface MemberRecord {
  readonly accountId: string;
  readonly id: string;
  /** In lower case. */
  readonly email: string;
  readonly role: Role;
  /** Who signed in as this member first; null: nobody yet. */
  readonly identity: Identity | null;
  readonly createdAt: Date;
  readonly lastSignInAt: Date | null;
}

/** A member with the account, as far as a session needs it. */
export interface Membership extends MemberRecord {
  readonly accountName: string;
}

/** Members of accounts. A member belongs to all environments of the account. */
export interface MemberStore {
  /** @returns undefined when the account has a member with this e-mail address */
  create(
    member: Pick<MemberRecord, 'accountId' | 'id' | 'email' | 'role'>,
  ): Promise<MemberRecord | undefined>;
  find(accountId: string, id: string): Promise<MemberRecord | undefined>;
  /** Finds a member of any account. Only for the operator's command line. */
  locate(id: string): Promise<MemberRecord | undefined>;
  /** Members of an account, newest first. */
  ofAccount(accountId: string, page: PageRequest): Promise<Page<MemberRecord>>;
  /** Ids of the admins of an account. Their rows stay locked until the transaction ends. */
  lockAdmins(accountId: string): Promise<readonly string[]>;
  setRole(accountId: string, id: string, role: Role): Promise<MemberRecord | undefined>;
  remove(accountId: string, id: string): Promise<boolean>;
  /** Memberships of a person in open accounts, by the name of the account. */
  ofIdentity(identity: Identity): Promise<readonly Membership[]>;
  /** The membership of a person in one open account. */
  inAccount(identity: Identity, accountId: string): Promise<Membership | undefined>;
  /** Binds every member who was invited by an e-mail address, and has not signed in, to the person who now does. */
  bind(email: string, identity: Identity): Promise<void>;
  /** Records a sign-in with all memberships of a person. */
  touch(identity: Identity, at: Date): Promise<void>;
}
