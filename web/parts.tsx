import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

/** Names and values; those without a value are left out. */
export function Facts({ of }: { readonly of: Readonly<Record<string, ComponentChildren>> }) {
  return (
    <dl class="facts">
      {Object.entries(of)
        .filter(([, value]) => value !== undefined && value !== null)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** A short word with a colour of its kind. */
export function Badge({ kind, children }: { readonly kind: string; readonly children: ComponentChildren }) {
  return <span class={`badge ${kind}`}>{children}</span>;
}

/** Text to be taken elsewhere, with a button that copies it. */
export function Copyable({ text, label }: { readonly text: string; readonly label: string }) {
  const [copied, setCopied] = useState(false);
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return (
    <span class="copyable">
      <code>{text}</code>
      <button type="button" class="quiet" onClick={copy} aria-label={`Copy ${label}`}>
        {copied ? 'Copied' : 'Copy'}
      </button>
    </span>
  );
}

/** A button for what cannot be undone: it asks once more, in place. */
export function ConfirmButton(props: {
  readonly label: string;
  readonly question: string;
  readonly busy: boolean;
  readonly onConfirm: () => void;
}) {
  const [asked, setAsked] = useState(false);
  if (!asked)
    return (
      <button type="button" class="quiet danger" onClick={() => setAsked(true)}>
        {props.label}
      </button>
    );
  return (
    <span class="confirm" role="group" aria-label={props.question}>
      <span>{props.question}</span>
      <button type="button" class="danger" disabled={props.busy} onClick={props.onConfirm}>
        {props.label}
      </button>
      <button type="button" autofocus onClick={() => setAsked(false)}>
        Keep
      </button>
    </span>
  );
}

/** Tells that something is being fetched, to eyes and to screen readers. */
export function Waiting({ for: what }: { readonly for: string }) {
  return (
    <p class="waiting" role="status">
      Loading {what} …
    </p>
  );
}

/** Said wherever something rests on the sandbox's region. */
export function SimulatedNote() {
  return (
    <p class="simulated-note">
      Simulated: this lies in the sandbox&rsquo;s made-up region. The figures show how the service works, not
      what happens there.
    </p>
  );
}

/** Secrets that the service shows this once, by their names; `onKept` is told when the reader has them. */
export function SecretsOnce(props: {
  readonly secrets: Readonly<Record<string, string>>;
  readonly children?: ComponentChildren;
  readonly onKept: () => void;
}) {
  return (
    <div class="secret" role="status">
      <p>
        <strong>Shown this once only: keep it now.</strong>
      </p>
      {Object.entries(props.secrets).map(([name, secret]) => (
        <div key={name}>
          <small>{name}</small>
          <Copyable text={secret} label={`the ${name.toLowerCase()}`} />
        </div>
      ))}
      {props.children}
      <button type="button" onClick={props.onKept}>
        I have it
      </button>
    </div>
  );
}

/** A score from 0 to 1 as a bar; `threshold` marks where it is to be noticed. */
export function ScoreBar(props: {
  readonly score: number;
  readonly label: string;
  readonly threshold?: number;
}) {
  const { score, label, threshold } = props;
  return (
    <span class="gauge">
      <meter class="bar" min={0} max={1} value={score} aria-label={label} title={`${label}, from 0 to 1`} />
      {threshold !== undefined && <i style={{ left: `${threshold * 100}%` }} aria-hidden="true" />}
    </span>
  );
}
