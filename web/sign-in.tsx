import { useState } from 'preact/hooks';
import { useAction } from './answer.ts';
import { Problem } from './problem.tsx';

/** Sign-in page: leads to the provider if there is one, and takes an API key. */
export function SignIn(props: {
  /** Whether people can sign in with a provider. */
  readonly withProvider: boolean;
  /** Reason why the user must sign in again; undefined at the first sign-in. */
  readonly reason: string | undefined;
  readonly onKey: (apiKey: string) => Promise<void>;
}) {
  const { withProvider, reason } = props;
  const [text, setText] = useState('');
  const enter = useAction(() => props.onKey(text.trim()));
  return (
    <main class="sign-in">
      <h1>
        <img src="./favicon.svg" alt="" width="36" height="36" /> Groundwatch
      </h1>
      <p class="lead">Geospatial risk and change monitoring.</p>
      {reason !== undefined && enter.error === undefined && (
        <p class="problem" role="alert">
          {reason}
        </p>
      )}
      {withProvider && (
        <>
          <a class="button primary" href="auth/sign-in">
            Sign in with your organisation
          </a>
          <p class="note">An admin of your account must have invited you.</p>
          <p class="or">or with an API key</p>
        </>
      )}
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
          autofocus={!withProvider}
          required
          value={text}
          aria-describedby="api-key-note"
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <p id="api-key-note" class="note">
          Kept in this tab until you sign out or close it. A new service keeps its first key in the file{' '}
          <code>demo-key</code> of its data folder.
        </p>
        <Problem error={enter.error} />
        <button type="submit" class={withProvider ? '' : 'primary'} disabled={enter.busy}>
          {enter.busy ? 'Signing in …' : withProvider ? 'Sign in with the key' : 'Sign in'}
        </button>
      </form>
      <p class="note">
        <a href="docs">API reference</a>
      </p>
    </main>
  );
}
