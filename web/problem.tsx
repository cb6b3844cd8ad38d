import { useContext } from 'preact/hooks';
import { GroundwatchError } from '../src/client/index.ts';
import { SessionContext } from './session.ts';

/** Shows an error, with the message of the service if there is one. Shows nothing if `error` is undefined. */
export function Problem({ error, again }: { readonly error: unknown; readonly again?: () => void }) {
  const isPerson = useContext(SessionContext)?.person !== undefined;
  if (error === undefined) return null;
  // No retry button is shown, because the permission would still be missing.
  if (error instanceof GroundwatchError && error.code === 'forbidden')
    return (
      <p class="empty" role="alert">
        <Forbidden message={error.message} />
      </p>
    );
  return (
    <div class="problem" role="alert">
      <p>{explanation(error, isPerson)}</p>
      {furtherDetails(error).length > 0 && (
        <ul>
          {furtherDetails(error).map(({ param, message }) => (
            <li key={`${param} ${message}`}>{message.includes(param) ? message : `${param}: ${message}`}</li>
          ))}
        </ul>
      )}
      {again && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
      {error instanceof GroundwatchError && error.requestId && <small>Request {error.requestId}</small>}
    </div>
  );
}

function Forbidden({ message }: { readonly message: string }) {
  const person = useContext(SessionContext)?.person;
  const scope = /lacks the scope (\S+)/.exec(message)?.[1];
  const who = person === undefined ? 'This key' : `Your role, ${person.membership.role},`;
  if (scope === undefined)
    return (
      <>
        {who} is not allowed to do that. {ended(message)}
      </>
    );
  return (
    <>
      {who} lacks the scope <code>{scope}</code>, which is required here.{' '}
      {person === undefined
        ? 'Sign in with a key that has it.'
        : `An admin of ${person.membership.account.name} can change your role.`}
    </>
  );
}

/** Returns whether an error of the service is about the given field or a part of this field. */
export function isAbout(error: unknown, field: string): boolean {
  if (!(error instanceof GroundwatchError)) return false;
  const { param } = error;
  return (
    param !== undefined && (param === field || param.startsWith(`${field}.`) || param.startsWith(`${field}[`))
  );
}

/** The details of an error that its message does not say already. */
function furtherDetails(error: unknown): GroundwatchError['details'] {
  if (!(error instanceof GroundwatchError)) return [];
  return error.details.filter(({ message }) => !error.message.includes(message));
}

function explanation(error: unknown, isPerson: boolean): string {
  if (!(error instanceof GroundwatchError)) return error instanceof Error ? error.message : String(error);
  switch (error.code) {
    case 'connection_failed':
      return 'The service does not answer. Is it running, and does this browser trust its certificate?';
    case 'timed_out':
      return 'The service did not answer in time.';
    case 'rate_limited': {
      const seconds = Math.ceil((error.retryAfterMs ?? 0) / 1000);
      return `${isPerson ? 'You have reached your' : 'This key has reached its'} rate limit${seconds > 0 ? `; retry in ${seconds} s` : ''}.`;
    }
    case 'unauthorized':
    case 'forbidden':
    case 'not_found':
    case 'bad_request':
    case 'server_error':
    case 'unreadable_answer':
    default:
      return ended(error.message);
  }
}

function ended(sentence: string): string {
  return `${sentence.replace(/\.?$/, '')}.`;
}
