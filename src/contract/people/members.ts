import { Type, type Static } from 'typebox';
import { columnsOf, Cursor, Limit, ListFormat, NextCursor, nullable, Timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import * as sample from '../example-resources.ts';
import { EMAIL_LENGTH } from '../limits.ts';
import { ROLES } from './roles.ts';

const Role = Type.Enum([...ROLES], { description: 'What the member may do.' });

export const Member = Type.Object(
  {
    id: Type.String({ description: 'What the audit log and the usage call the member.' }),
    email: Type.String(),
    role: Role,
    status: Type.Enum(['invited', 'active'], {
      description: '`invited`: has not signed in yet.',
    }),
    created_at: Timestamp('When the member was invited.'),
    last_sign_in_at: nullable(Timestamp('When the member last signed in; null: never.')),
  },
  { title: 'Member' },
);
export type Member = Static<typeof Member>;

const Id = Type.Object({ id: Type.String() });
const tag = 'Members';

export const inviteMember = operation({
  id: 'inviteMember',
  method: 'POST',
  path: '/v1/members',
  tag,
  summary: 'Invite a person to the account',
  description:
    'Nothing is sent: tell the person the address of the console. Who signs in with this e-mail address, verified by the provider, is the member from then on.',
  scopes: ['members:write'],
  recorded: true,
  wholeAccount: true,
  creates: true,
  body: Type.Object(
    {
      email: Type.String({
        minLength: 3,
        maxLength: EMAIL_LENGTH,
        description: 'E-mail address, as the OpenID provider knows it. Letter case does not matter.',
      }),
      role: Role,
    },
    { title: 'NewMember', additionalProperties: false },
  ),
  answers: [{ status: 201, description: 'Invited.', body: Member }],
  example: { body: { email: 'ada@example.com', role: 'analyst' }, answer: sample.member },
});

export const listMembers = operation({
  id: 'listMembers',
  method: 'GET',
  path: '/v1/members',
  tag,
  summary: 'List the members of the account, newest first',
  scopes: ['members:read'],
  query: Type.Object({ limit: Limit, cursor: Cursor, f: ListFormat }, { additionalProperties: false }),
  answers: [
    {
      status: 200,
      description: 'The members.',
      body: Type.Object({ members: Type.Array(Member), next_cursor: NextCursor }, { title: 'Members' }),
      table: columnsOf(Member),
    },
  ],
  example: { answer: { members: [sample.member] } },
});

export const getMember = operation({
  id: 'getMember',
  method: 'GET',
  path: '/v1/members/{id}',
  tag,
  summary: 'One member',
  scopes: ['members:read'],
  params: Id,
  answers: [{ status: 200, description: 'The member.', body: Member }],
  example: { parameters: { id: sample.MEMBER }, answer: sample.member },
});

export const changeMember = operation({
  id: 'changeMember',
  method: 'PATCH',
  path: '/v1/members/{id}',
  tag,
  summary: 'Change the role of a member, within a second',
  description: 'The last admin of an account keeps the role.',
  scopes: ['members:write'],
  recorded: true,
  wholeAccount: true,
  params: Id,
  body: Type.Object({ role: Role }, { title: 'MemberChange', additionalProperties: false }),
  answers: [{ status: 200, description: 'The member.', body: Member }],
  example: { parameters: { id: sample.MEMBER }, body: { role: 'analyst' }, answer: sample.member },
});

export const removeMember = operation({
  id: 'removeMember',
  method: 'DELETE',
  path: '/v1/members/{id}',
  tag,
  summary: 'Remove a member from the account, within a second',
  description:
    'The e-mail address is erased; the audit log keeps the id. Keys that the member made go on. The last admin of an account cannot be removed.',
  scopes: ['members:write'],
  recorded: true,
  wholeAccount: true,
  params: Id,
  answers: [{ status: 204, description: 'Removed.' }],
  example: { parameters: { id: sample.MEMBER } },
});

/** The operations, in the order of the documentation. */
export const MEMBER_OPERATIONS = [inviteMember, listMembers, getMember, changeMember, removeMember] as const;
