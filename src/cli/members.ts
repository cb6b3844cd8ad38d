import { changeRole, inviteMember, removeMember } from '../app/access/manage-members.ts';
import type { MemberRecord } from '../app/access/member-store.ts';
import { NotFound } from '../base/errors.ts';
import { isId } from '../base/ids.ts';
import { PAGE_ITEMS } from '../contract/limits.ts';
import { type Role, ROLE_MEANINGS, ROLES } from '../contract/people/roles.ts';
import { accountId } from './account-option.ts';
import { type CliDeps, type Command, type Given, Misuse, type Option, required, table } from './command.ts';

const ROLE: Option = {
  value: ROLES.join('|'),
  meaning: ROLES.map((role) => `${role}: ${ROLE_MEANINGS[role]}`).join(' '),
  required: true,
};

export const addMemberCommand: Command = {
  name: 'members add',
  isLight: true,
  audited: true,
  summary: 'Invite a person to an account, by e-mail address',
  operands: ['ACCOUNT', 'EMAIL'],
  options: { role: ROLE },
  async run(context, given) {
    const [name, email] = given.operands as [string, string];
    const role = roleOf(given);
    const { storage } = await context.open();
    const member = await inviteMember(storage, await accountId(storage, name), { email, role });
    context.print(
      present(member),
      `${member.email} is invited to ${name} as ${role}: ${member.id}. Tell the person the address of the console`,
    );
  },
};

export const listMembersCommand: Command = {
  name: 'members list',
  isLight: true,
  summary: 'List the members of an account',
  operands: ['ACCOUNT'],
  async run(context, { operands }) {
    const { storage } = await context.open();
    const id = await accountId(storage, operands[0]!);
    const members: MemberRecord[] = [];
    let after: readonly string[] | undefined;
    do {
      const page = await storage.members.ofAccount(id, { limit: PAGE_ITEMS, after });
      members.push(...page.items);
      after = page.next;
    } while (after !== undefined);
    context.print(
      { members: members.map(present) },
      members.length === 0
        ? `${operands[0]} has no member yet: groundwatch members add ${operands[0]} EMAIL --role admin`
        : table(
            ['EMAIL', 'ROLE', 'LAST SIGN-IN', 'ID'],
            members.map(({ email, role, lastSignInAt, id: member }) => [
              email,
              role,
              lastSignInAt?.toISOString().slice(0, 10) ?? 'never',
              member,
            ]),
          ),
    );
  },
};

export const changeMemberCommand: Command = {
  name: 'members change',
  isLight: true,
  audited: true,
  summary: 'Change the role of a member',
  operands: ['ID'],
  options: { role: ROLE },
  async run(context, given) {
    const role = roleOf(given);
    const { storage, account, id } = await located(await context.open(), given);
    const member = await changeRole(storage, account, id, role);
    context.print(present(member), `${member.email} is ${role} now`);
  },
};

export const removeMemberCommand: Command = {
  name: 'members remove',
  isLight: true,
  audited: true,
  summary: 'Remove a member from an account, and erase the e-mail address',
  operands: ['ID'],
  async run(context, given) {
    const { storage, account, id } = await located(await context.open(), given);
    await removeMember(storage, account, id);
    await storage.sessions.endOrphaned();
    context.print({ id, account_id: account, removed: true }, `Member ${id} is removed`);
  },
};

/** Finds the member that a command names. @throws NotFound */
async function located({ storage }: CliDeps, { operands }: Given) {
  const id = operands[0]!;
  const member = isId('member', id) ? await storage.members.locate(id) : undefined;
  if (member === undefined) throw new NotFound(`There is no member ${id}`);
  return { storage, account: member.accountId, id };
}

function roleOf(given: Given): Role {
  const asked = required(given, 'role');
  const role = ROLES.find((one) => one === asked);
  if (role === undefined) throw new Misuse(`--role: expected one of ${ROLES.join(', ')}, got ${asked}`);
  return role;
}

function present({ accountId: account, id, email, role, createdAt, lastSignInAt }: MemberRecord) {
  return {
    id,
    account_id: account,
    email,
    role,
    created_at: createdAt.toISOString(),
    last_sign_in_at: lastSignInAt?.toISOString() ?? null,
  };
}
