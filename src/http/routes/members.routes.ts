import { changeRole, inviteMember, ownMember, removeMember } from '../../app/access/manage-members.ts';
import type { MemberRecord } from '../../app/access/member-store.ts';
import { NotFound } from '../../base/errors.ts';
import { formatTimestamp } from '../../base/time.ts';
import { getAccount } from '../../contract/people/account.ts';
import * as contract from '../../contract/people/members.ts';
import { creatingRoute, route, type RouteContext } from '../route.ts';
import { type ListKind, nextPage, pageRequest } from './page.ts';

const LIST: ListKind = { name: 'members', position: ['member'] };

export function memberRoutes(context: RouteContext): void {
  route(context, getAccount, async ({ storage, principal: { accountId, environment, keyId, scopes } }) => {
    const account = await storage.accounts.find(accountId);
    if (account === undefined) throw new NotFound('The account is not there any more');
    const { id, name, createdAt } = account;
    const caller = { id: keyId, environment, scopes: [...scopes] };
    return { id, name, created_at: formatTimestamp(createdAt.getTime()), caller };
  });
  creatingRoute(context, contract.inviteMember, async ({ stores, principal, body }) => {
    const member = await inviteMember(stores, principal.accountId, body);
    return { status: 201, location: `/v1/members/${member.id}`, body: present(member) };
  });
  route(context, contract.listMembers, async ({ storage, principal, query, request, reply }) => {
    const page = await storage.members.ofAccount(principal.accountId, pageRequest(LIST, query));
    return { members: page.items.map(present), ...nextPage(LIST, page, request, reply) };
  });
  route(context, contract.getMember, async ({ storage, principal, params }) =>
    present(await ownMember(storage, principal.accountId, params.id)),
  );
  route(context, contract.changeMember, async ({ storage, principal, params, body }) =>
    present(await changeRole(storage, principal.accountId, params.id, body.role)),
  );
  route(context, contract.removeMember, async ({ storage, principal, params }) => {
    await removeMember(storage, principal.accountId, params.id);
  });
}

function present({ id, email, role, identity, createdAt, lastSignInAt }: MemberRecord): contract.Member {
  return {
    id,
    email,
    role,
    status: identity === null ? 'invited' : 'active',
    created_at: formatTimestamp(createdAt.getTime()),
    last_sign_in_at: lastSignInAt && formatTimestamp(lastSignInAt.getTime()),
  };
}
