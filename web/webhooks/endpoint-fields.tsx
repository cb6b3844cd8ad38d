import { EVENT_TYPES } from '../../src/contract/events.ts';
import { isAbout } from '../problem.tsx';
import { choiceText, type EventChoice, withChoice } from './event-choice.ts';

/** Address of an endpoint, and the types of the events that it receives; `*` means every type that need not be named. */
export interface Endpoint {
  readonly url: string;
  readonly events: readonly EventChoice[];
}

/** Form fields for a new or changed endpoint. `error` is the error of the last attempt to save it. */
export function EndpointFields(props: {
  readonly of: Endpoint;
  readonly error: unknown;
  readonly onChange: (to: Endpoint) => void;
}) {
  const { url, events } = props.of;
  return (
    <>
      <label for="webhook-url">HTTPS address</label>
      <input
        id="webhook-url"
        type="url"
        required
        placeholder="https://hooks.example.com/groundwatch"
        value={url}
        aria-invalid={isAbout(props.error, 'url')}
        onInput={(event) => props.onChange({ url: event.currentTarget.value, events })}
      />
      <fieldset>
        <legend>Events</legend>
        <div class="choices">
          {(['*', ...EVENT_TYPES] as const).map((type) => (
            <label key={type}>
              <input
                type="checkbox"
                checked={events.includes(type)}
                onChange={(event) =>
                  props.onChange({ url, events: withChoice(events, type, event.currentTarget.checked) })
                }
              />
              {choiceText([type])}
            </label>
          ))}
        </div>
      </fieldset>
    </>
  );
}
