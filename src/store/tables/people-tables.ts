import type { ColumnType, Generated } from 'kysely';
import type { Role } from '../../contract/people/roles.ts';

type Defaulted<T> = ColumnType<T, T | undefined, T>;

export interface MembersTable {
  account_id: string;
  id: string;
  email: string;
  role: Role;
  issuer: Defaulted<string | null>;
  subject: Defaulted<string | null>;
  created_at: Generated<Date>;
  last_sign_in_at: Defaulted<Date | null>;
}

interface SessionsTable {
  token_hash: Buffer;
  issuer: string;
  subject: string;
  created_at: Date;
  last_used_at: Date;
}

/** Tables of people (migration 0019). */
export interface PeopleTables {
  members: MembersTable;
  sessions: SessionsTable;
}
