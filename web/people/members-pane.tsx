import { useState } from 'preact/hooks';
import type { Member } from '../../src/client/index.ts';
import { EMAIL_LENGTH } from '../../src/contract/limits.ts';
import { type Role, ROLE_MEANINGS, ROLES } from '../../src/contract/people/roles.ts';
import { allOf } from '../all-of.ts';
import { useAction, useAnswer } from '../answer.ts';
import { day, moment } from '../format.ts';
import { Badge, ConfirmButton, Copyable, Waiting } from '../parts.tsx';
import { isAbout, Problem } from '../problem.tsx';
import { useClient, useSession } from '../session.ts';
import { AccountTabs } from './account-tabs.tsx';
import { Needs } from './needs.tsx';

const FIRST_ROLE: Role = 'viewer'; // preselected for a new member: the role that can do the least harm

/** Lists the people of the account with their roles, invites others and removes them. */
export function MembersPane() {
  const client = useClient();
  const { account, scopes } = useSession();
  const mayRead = scopes.includes('members:read');
  const found = useAnswer(async (signal) => (mayRead ? allOf(client.members({}, { signal })) : []), []);
  return (
    <>
      <h1>Members</h1>
      <AccountTabs current="members" />
      <p class="note">
        People who may sign in to {account.name}. A role holds in all environments of the account.
      </p>
      {!mayRead && <p class="note">This sign-in lacks the scope members:read, so it cannot list them.</p>}
      <Problem error={found.error} again={found.again} />
      {found.value === undefined && found.waiting && <Waiting for="members" />}
      <ul class="rows">
        {found.value?.map((member) => (
          <MemberRow key={member.id} of={member} onChanged={found.again} />
        ))}
      </ul>
      <Needs to="inviteMember">
        <h2>Invite</h2>
        <InviteForm onInvited={found.again} />
      </Needs>
      <h2>Roles</h2>
      <RoleMeanings />
    </>
  );
}

function MemberRow({ of, onChanged }: { readonly of: Member; readonly onChanged: () => void }) {
  const client = useClient();
  const { callerId, account } = useSession();
  const { id, email, role, status, created_at, last_sign_in_at } = of;
  const isOwn = id === callerId;
  const change = useAction((to: Role) => client.changeMember(id, { role: to }), onChanged);
  const remove = useAction(() => client.removeMember(id), onChanged);
  return (
    <li>
      <span class="line">
        <strong>{email}</strong>
        <span class="badges">
          {isOwn && <Badge kind="own">you</Badge>}{' '}
          <Badge kind={status === 'invited' ? 'pending' : status}>{status}</Badge>
        </span>
      </span>
      <small class="block">
        {status === 'invited' ? 'Invited' : 'Member since'} {day(created_at)}
        {last_sign_in_at !== null && ` · last signed in ${moment(last_sign_in_at)}`}
      </small>
      <Needs to="inviteMember" quiet>
        <div class="row">
          <label class="inline">
            <span>Role</span>
            <select
              aria-label={`Role of ${email}`}
              value={role}
              disabled={change.busy}
              onChange={(event) => {
                const to = event.currentTarget.value as Role;
                event.currentTarget.value = role; // until the service has changed it
                change.run(to);
              }}
            >
              {ROLES.map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <ConfirmButton
            label={isOwn ? 'Leave' : status === 'invited' ? 'Withdraw' : 'Remove'}
            question={
              isOwn
                ? `You no longer reach ${account.name}.`
                : status === 'invited'
                  ? `${email} can no longer sign in.`
                  : `${email} loses access within a second. Keys that this member made go on.`
            }
            busy={remove.busy}
            onConfirm={() => remove.run()}
          />
        </div>
      </Needs>
      <Problem error={change.error ?? remove.error} />
    </li>
  );
}

function InviteForm({ onInvited }: { readonly onInvited: () => void }) {
  const client = useClient();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState(FIRST_ROLE);
  const [invited, setInvited] = useState<string | undefined>(undefined);
  const invite = useAction(
    () => client.inviteMember({ email: email.trim(), role }),
    (member) => {
      setInvited(member.email);
      setEmail('');
      setRole(FIRST_ROLE);
      onInvited();
    },
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        setInvited(undefined);
        invite.run();
      }}
    >
      <div class="fields">
        <div>
          <label for="invite-email">E-mail address</label>
          <input
            id="invite-email"
            type="email"
            autocomplete="off"
            required
            maxLength={EMAIL_LENGTH}
            value={email}
            aria-invalid={isAbout(invite.error, 'email')}
            aria-describedby="invite-note"
            onInput={(event) => setEmail(event.currentTarget.value)}
          />
        </div>
        <div>
          <label for="invite-role">Role</label>
          <select
            id="invite-role"
            value={role}
            onChange={(event) => setRole(event.currentTarget.value as Role)}
          >
            {ROLES.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </div>
      </div>
      <p id="invite-note" class="note">
        The address that the provider knows the person by. Nothing is sent: tell the person yourself.
      </p>
      <Problem error={invite.error} />
      <button type="submit" class="primary" disabled={invite.busy}>
        {invite.busy ? 'Inviting …' : 'Invite'}
      </button>
      {invited !== undefined && (
        <div class="done" role="status">
          <p>{invited} may sign in now. Send this address to the person:</p>
          <Copyable text={new URL('.', document.baseURI).href} label="the address of the console" />
        </div>
      )}
    </form>
  );
}

function RoleMeanings() {
  return (
    <dl class="facts">
      {ROLES.map((role) => (
        <div key={role}>
          <dt>{role}</dt>
          <dd>{ROLE_MEANINGS[role]}</dd>
        </div>
      ))}
    </dl>
  );
}
