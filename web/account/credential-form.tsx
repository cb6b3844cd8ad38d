import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { KeyScope } from '../../src/contract/scopes.ts';
import type { Action } from '../answer.ts';
import { isAbout, Problem } from '../problem.tsx';
import { ScopeChoice } from './scope-choice.tsx';

/** Fields that new API keys and new OAuth clients have in common. */
export interface NewCredential {
  readonly name?: string;
  readonly scopes: KeyScope[];
  /** Rate limit [units per minute]; absent: the default of the service. */
  readonly limit?: number;
}

/** Form for a new API key or OAuth client. `children`: additional fields of one of the two kinds. */
export function CredentialForm(props: {
  /** Prefix of the HTML ids; needed because one page contains two of these forms. */
  readonly id: string;
  readonly label: string;
  readonly held: readonly string[];
  readonly make: Action<[NewCredential]>;
  readonly children?: ComponentChildren;
}) {
  const { id, make } = props;
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly KeyScope[]>([]);
  const [limit, setLimit] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        make.run({
          ...(name.trim() !== '' && { name: name.trim() }),
          scopes: [...scopes],
          ...(limit !== '' && { limit: Number(limit) }),
        });
      }}
    >
      <label for={`${id}-name`}>Name, to recognise it by</label>
      <input
        id={`${id}-name`}
        maxLength={100}
        placeholder="nightly portfolio run"
        value={name}
        aria-invalid={isAbout(make.error, 'name')}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <ScopeChoice held={props.held} chosen={scopes} onChange={setScopes} />
      <div class="fields">
        <div>
          <label for={`${id}-limit`}>Units per minute</label>
          <input
            id={`${id}-limit`}
            type="number"
            inputMode="numeric"
            min={0}
            step={1}
            placeholder="600"
            value={limit}
            aria-invalid={isAbout(make.error, 'limit')}
            onInput={(event) => setLimit(event.currentTarget.value)}
          />
        </div>
        {props.children}
      </div>
      <Problem error={make.error} />
      <button type="submit" class="primary" disabled={make.busy || scopes.length === 0}>
        {props.label}
      </button>
    </form>
  );
}
