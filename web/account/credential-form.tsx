import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Scope } from '../../src/contract/scopes.ts';
import type { Action } from '../answer.ts';
import { isAbout, Problem } from '../problem.tsx';
import { ScopeChoice } from './scope-choice.tsx';

/** What every credential is made with. */
export interface NewCredential {
  readonly name?: string;
  readonly scopes: Scope[];
  /** Units a minute; absent: the service's default. */
  readonly limit?: number;
}

/** The fields that an API key and an OAuth client have in common; `children` are those of one alone. */
export function CredentialForm(props: {
  /** Keeps the fields of two forms on one page apart. */
  readonly id: string;
  readonly label: string;
  readonly held: readonly string[] | undefined;
  readonly make: Action<[NewCredential]>;
  readonly children?: ComponentChildren;
}) {
  const { id, make } = props;
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>([]);
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
      <label for={`${id}-name`}>Name, for people to read</label>
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
          <label for={`${id}-limit`}>Units a minute</label>
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
