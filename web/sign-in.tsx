import { useState } from 'preact/hooks';
import { GroundwatchError } from '../src/client/index.ts';
import { useAction } from './answer.ts';
import { Problem } from './problem.tsx';
import { openSession, type Session } from './session.ts';

/** Sign-in page: asks for an API key and checks it with the service. */
export function SignIn(props: {
  /** Reason why the user must sign in again; undefined at the first sign-in. */
  readonly reason: string | undefined;
  readonly onRefused: () => void;
  readonly onSignedIn: (apiKey: string, session: Session) => void;
}) {
  const [text, setText] = useState('');
  const enter = useAction(
    async () => {
      const apiKey = text.trim();
      const session = openSession(apiKey, props.onRefused);
      if (session === undefined)
        throw new Error(
          'This is not a complete API key. A key begins with gw_sandbox_, gw_staging_ or gw_production_, followed by two more parts.',
        );
      try {
        await session.client.listMetrics();
      } catch (error) {
        if (error instanceof GroundwatchError && error.code === 'unauthorized')
          throw new Error('The service does not accept this key: it is wrong, expired or revoked.', {
            cause: error,
          });
        throw error;
      }
      return { apiKey, session };
    },
    ({ apiKey, session }) => props.onSignedIn(apiKey, session),
  );
  return (
    <main class="sign-in">
      <h1>
        <img src="./favicon.svg" alt="" width="36" height="36" /> Groundwatch
      </h1>
      <p class="lead">Geospatial risk and change monitoring.</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          enter.run();
        }}
      >
        <label for="api-key">API key</label>
        <input
          id="api-key"
          type="password"
          autocomplete="off"
          spellcheck={false}
          autofocus
          required
          value={text}
          aria-describedby="api-key-note"
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <p id="api-key-note" class="note">
          Kept in this tab until you sign out or close it. A new service keeps its first key in the file{' '}
          <code>demo-key</code> of its data folder.
        </p>
        {props.reason !== undefined && enter.error === undefined && (
          <p class="problem" role="alert">
            {props.reason}
          </p>
        )}
        <Problem error={enter.error} />
        <button type="submit" class="primary" disabled={enter.busy}>
          {enter.busy ? 'Signing in …' : 'Sign in'}
        </button>
      </form>
      <p class="note">
        <a href="docs">API reference</a>
      </p>
    </main>
  );
}
