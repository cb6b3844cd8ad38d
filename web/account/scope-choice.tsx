import { type KeyScope, SCOPES } from '../../src/contract/scopes.ts';

/** Checkboxes for the scopes of a new credential. The user can grant only scopes that the user has, `held`. */
export function ScopeChoice(props: {
  readonly held: readonly string[];
  readonly chosen: readonly KeyScope[];
  readonly onChange: (chosen: readonly KeyScope[]) => void;
}) {
  const { held, chosen, onChange } = props;
  const given = SCOPES.filter((scope) => held.includes(scope));
  return (
    <fieldset>
      <legend>Scopes</legend>
      <div class="row">
        <button
          type="button"
          class="quiet"
          onClick={() => onChange(given.filter((scope) => scope.endsWith(':read')))}
        >
          All that read
        </button>
        <button type="button" class="quiet" onClick={() => onChange(given)}>
          All
        </button>
        <button type="button" class="quiet" onClick={() => onChange([])}>
          None
        </button>
      </div>
      <div class="choices narrow">
        {SCOPES.map((scope) => (
          <label key={scope}>
            <input
              type="checkbox"
              checked={chosen.includes(scope)}
              disabled={!given.includes(scope)}
              onChange={(event) =>
                onChange(
                  event.currentTarget.checked
                    ? SCOPES.filter((one) => one === scope || chosen.includes(one))
                    : chosen.filter((one) => one !== scope),
                )
              }
            />
            {scope}
          </label>
        ))}
      </div>
      {given.length < SCOPES.length && <p class="note">Only scopes that you have yourself can be granted.</p>}
    </fieldset>
  );
}
