import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

/** A list of names with their values; names without a value are not shown. */
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

/** A short word in the colour of `kind`. */
export function Badge({ kind, children }: { readonly kind: string; readonly children: ComponentChildren }) {
  return <span class={`badge ${kind}`}>{children}</span>;
}

/** Text with a button that copies it. */
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

/** A button for an action that cannot be undone. After a click, it asks in the same place whether to do the action. */
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

/** Shows that something is loading, also to screen readers. */
export function Waiting({ for: what }: { readonly for: string }) {
  return (
    <p class="waiting" role="status">
      Loading {what} …
    </p>
  );
}

/** Note that the figures come from the simulated region of the sandbox. */
export function SimulatedNote() {
  return (
    <p class="simulated-note">
      Simulated: this is in the fictional region of the sandbox. The figures show how the service works; they
      are not real.
    </p>
  );
}

/** Shows secrets that the service returns only once. `onKept` is called when the user confirms that they are saved. */
export function SecretsOnce(props: {
  readonly secrets: Readonly<Record<string, string>>;
  readonly children?: ComponentChildren;
  readonly onKept: () => void;
}) {
  return (
    <div class="secret" role="status">
      <p>
        <strong>Shown only once: save it now.</strong>
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

/** A score from 0 to 1 as a bar, with a mark at `threshold` if it is given. */
export function ScoreBar(props: {
  readonly score: number;
  readonly label: string;
  readonly threshold?: number;
  /** Interval that is drawn below the bar. */
  readonly range?: { readonly low: number; readonly high: number } | undefined;
}) {
  const { score, label, threshold, range } = props;
  return (
    <span class="gauge">
      <meter class="bar" min={0} max={1} value={score} aria-label={label} title={`${label}, from 0 to 1`} />
      {range !== undefined && (
        <span
          class="interval"
          style={{ left: `${range.low * 100}%`, right: `${(1 - range.high) * 100}%` }}
          aria-hidden="true"
        />
      )}
      {threshold !== undefined && <i style={{ left: `${threshold * 100}%` }} aria-hidden="true" />}
    </span>
  );
}
