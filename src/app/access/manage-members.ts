import { InvalidInput, NotFound } from '../../base/errors.ts';
import { isId, newId } from '../../base/ids.ts';
import { EMAIL_LENGTH } from '../../contract/limits.ts';
import type { Role } from '../../contract/people/roles.ts';
import type { Storage, Stores } from '../storage.ts';
import type { MemberRecord } from './member-store.ts';

/** The form of an e-mail address, without spaces and invisible characters. Only signing in shows that it is real. */
const EMAIL = /^[^\s@\p{C}]{1,64}@[^\s@\p{C}]+$/u;

/**
 * Invites a person to an account.
 * @throws InvalidInput for what is no e-mail address, and when the account has a member with this address
 */
export async function inviteMember(
  { members }: Pick<Stores, 'members'>,
  accountId: string,
  asked: { readonly email: string; readonly role: Role },
): Promise<MemberRecord> {
  const email = asked.email.trim().toLowerCase();
  if (!EMAIL.test(email) || email.length > EMAIL_LENGTH)
    throw new InvalidInput(
      `email: expected an address such as ada@example.com of at most ${EMAIL_LENGTH} characters, got ${JSON.stringify(asked.email)}`,
      { param: 'email' },
    );
  const made = await members.create({ accountId, id: newId('member'), email, role: asked.role });
  if (made === undefined)
    throw new InvalidInput(`email: ${email} is a member of this account already`, { param: 'email' });
  return made;
}

/** Finds a member of an account. @throws NotFound */
export async function ownMember(
  { members }: Pick<Stores, 'members'>,
  accountId: string,
  id: string,
): Promise<MemberRecord> {
  const member = isId('member', id) ? await members.find(accountId, id) : undefined;
  if (member === undefined) throw unknown(id);
  return member;
}

/** Changes the role of a member. @throws NotFound; InvalidInput for the last admin of the account */
export function changeRole(
  storage: Storage,
  accountId: string,
  id: string,
  role: Role,
): Promise<MemberRecord> {
  return storage.transaction(async (stores) => {
    await ownMember(stores, accountId, id);
    if (role !== 'admin') await keepAnAdmin(stores, accountId, id, 'role');
    const changed = await stores.members.setRole(accountId, id, role);
    if (changed === undefined) throw unknown(id);
    return changed;
  });
}

/**
 * Removes a member, and with it the e-mail address.
 * @throws NotFound; InvalidInput for the last admin of the account
 */
export function removeMember(storage: Storage, accountId: string, id: string): Promise<void> {
  return storage.transaction(async (stores) => {
    await ownMember(stores, accountId, id);
    await keepAnAdmin(stores, accountId, id, 'id');
    if (!(await stores.members.remove(accountId, id))) throw unknown(id);
  });
}

/** Locks the admins, so that two admins cannot end each other's role at the same time. */
async function keepAnAdmin(
  { members }: Pick<Stores, 'members'>,
  accountId: string,
  id: string,
  param: string,
): Promise<void> {
  const admins = await members.lockAdmins(accountId);
  if (admins.length === 1 && admins[0] === id)
    throw new InvalidInput(`${param}: the account has no other admin than ${id}; make another one first`, {
      param,
    });
}

const unknown = (id: string): NotFound => new NotFound(`There is no member ${id}`);
