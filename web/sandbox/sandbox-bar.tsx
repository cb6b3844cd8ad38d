import { useState } from 'preact/hooks';
import { day, percent } from '../format.ts';
import { Needs } from '../people/needs.tsx';
import { Problem } from '../problem.tsx';
import { outcomeOf } from './region.ts';
import { useRegion } from './region-context.ts';

const MOST_DAYS = 365; // maximum number of days in one call of POST /v1/sandbox/advance
const FIRST_DAYS = 30; // preselected number of days; enough for several new scenes

/**
 * Bar below the header, only in the sandbox. It shows the simulated region, its date, and a form that advances the
 * clock of the region.
 */
export function SandboxBar() {
  const { state, error, waiting, again } = useRegion();
  if (state === undefined && error === undefined && !waiting) return null;
  return (
    <section class="sandbox-bar" aria-label="Simulated region">
      {waiting && (
        <p>
          <strong>Simulated region</strong>
        </p>
      )}
      {state === undefined && <Problem error={error} again={again} />}
      {state?.status === 'absent' && (
        <p>
          <strong>No simulated region.</strong> This service was started without one, so the sandbox holds
          only what you put in.
        </p>
      )}
      {state?.status === 'being_made' && (
        <p>
          <strong>Simulated region</strong>{' '}
          <span role="status">is being made: {percent(state.progress)}</span>
          <progress max={1} value={state.progress} aria-label="Made so far" />
        </p>
      )}
      {state?.status === 'ready' && <Clock date={state.date!} />}
    </section>
  );
}

function Clock({ date }: { readonly date: string }) {
  const { advance, advancing, advanceError, step } = useRegion();
  const [days, setDays] = useState(`${FIRST_DAYS}`);
  return (
    <>
      <p>
        <strong>Simulated region</strong> · it is <time dateTime={date}>{day(date)}</time> there
      </p>
      <Needs to="advanceSandbox">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            advance(Number(days));
          }}
        >
          <label for="advance-days">Days</label>
          <input
            id="advance-days"
            type="number"
            inputMode="numeric"
            required
            min={1}
            max={MOST_DAYS}
            step={1}
            value={days}
            onInput={(event) => setDays(event.currentTarget.value)}
          />
          {/* Not disabled while it works: the keyboard would lose its place. A second press does nothing. */}
          <button type="submit" aria-disabled={advancing}>
            Advance
          </button>
        </form>
      </Needs>
      <p class="outcome" role="status">
        {advancing ? 'Simulating day by day …' : step && outcomeOf(step)}
      </p>
      <Problem error={advanceError} />
    </>
  );
}
