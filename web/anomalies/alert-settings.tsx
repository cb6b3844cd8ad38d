import { useState } from 'preact/hooks';
import type { Subscription } from '../../src/client/index.ts';
import { useAction } from '../answer.ts';
import { Problem } from '../problem.tsx';
import { useClient } from '../session.ts';
import { alertsInWords, zones } from './alert-words.ts';

type Quiet = NonNullable<Subscription['quiet_hours']>;

const NIGHT: Omit<Quiet, 'zone'> = { from: '22:00', to: '07:00' };

/** When the alerts of a subscription are sent: each at once or as a digest, quiet hours in which none is, and the past. */
export function AlertSettings(props: {
  readonly subscription: Subscription;
  readonly name: string;
  readonly onChanged: () => void;
}) {
  const client = useClient();
  const { subscription_id: id, quiet_hours: quiet, digest, past } = props.subscription;
  const [hours, setHours] = useState(quiet);
  const [bundle, setBundle] = useState(digest);
  const [withPast, setWithPast] = useState(past);
  const [done, setDone] = useState(false);
  const save = useAction(
    () => client.updateSubscription(id, { quiet_hours: hours, digest: bundle, past: withPast }),
    () => {
      setDone(true);
      props.onChanged();
    },
  );
  const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const change = (part: Partial<Quiet>): void => {
    setDone(false);
    if (hours !== null) setHours({ ...hours, ...part });
  };
  return (
    <details class="small">
      <summary aria-label={`${alertsInWords(props.subscription)}: ${props.name}`}>
        {alertsInWords(props.subscription)}
      </summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.run();
        }}
      >
        <label for={`digest-${id}`}>Alerts</label>
        <select
          id={`digest-${id}`}
          value={bundle ?? ''}
          onChange={(event) => {
            setDone(false);
            setBundle((event.currentTarget.value || null) as Subscription['digest']);
          }}
        >
          <option value="">each at once</option>
          <option value="hourly">one digest each hour</option>
          <option value="daily">one digest each day</option>
        </select>
        <label class="check">
          <input
            type="checkbox"
            checked={hours !== null}
            onChange={(event) => {
              setDone(false);
              setHours(event.currentTarget.checked ? (quiet ?? { zone: ownZone, ...NIGHT }) : null);
            }}
          />{' '}
          Quiet hours: nothing is sent, and what happened then is sent at their end
        </label>
        {hours !== null && <QuietFields id={id} hours={hours} onChange={change} />}
        <label class="check">
          <input
            type="checkbox"
            checked={withPast}
            onChange={(event) => {
              setDone(false);
              setWithPast(event.currentTarget.checked);
            }}
          />{' '}
          Also send what was over long before it was found, such as the finds of a first look at an archive
        </label>
        <Problem error={save.error} />
        {done && <p role="status">Saved.</p>}
        <button type="submit" disabled={save.busy}>
          Save
        </button>
      </form>
    </details>
  );
}

function QuietFields(props: {
  readonly id: string;
  readonly hours: Quiet;
  readonly onChange: (part: Partial<Quiet>) => void;
}) {
  const { id, hours, onChange } = props;
  const hourField = (part: 'from' | 'to', label: string) => (
    <div>
      <label for={`${part}-${id}`}>{label}</label>
      <input
        id={`${part}-${id}`}
        type="time"
        required
        value={hours[part]}
        onInput={(event) => onChange({ [part]: event.currentTarget.value })}
      />
    </div>
  );
  return (
    <div class="fields">
      {hourField('from', 'From')}
      {hourField('to', 'To')}
      <div>
        <label for={`zone-${id}`}>Time zone</label>
        <input
          id={`zone-${id}`}
          list={`zones-${id}`}
          required
          value={hours.zone}
          onInput={(event) => onChange({ zone: event.currentTarget.value })}
        />
        <datalist id={`zones-${id}`}>
          {zones().map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      </div>
    </div>
  );
}
