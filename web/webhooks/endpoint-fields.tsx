import { EVENT_TYPES } from '../../src/contract/events.ts';
import { isAbout } from '../problem.tsx';
import { choiceText, type EventChoice, withChoice } from './event-choice.ts';

/** Address of an endpoint, which is an HTTPS or an e-mail address, and the types of the events that it receives; `*` means every type that need not be named. */
export interface Endpoint {
  readonly url: string;
  readonly events: readonly EventChoice[];
}

/** Where an address goes in a call: an e-mail address is one with an `@` and without `://`. */
export function addressOf(url: string): { readonly url: string } | { readonly email: string } {
  const address = url.trim();
  return address.includes('@') && !address.includes('://') ? { email: address } : { url: address };
}

/**
 * Form fields for a new or changed endpoint. `error` is the error of the last attempt to save it. `isFixed`: the address
 * cannot be changed.
 */
export function EndpointFields(props: {
  readonly of: Endpoint;
  readonly error: unknown;
  readonly isFixed?: boolean;
  readonly onChange: (to: Endpoint) => void;
}) {
  const { url, events } = props.of;
  return (
    <>
      {props.isFixed !== true && (
        <>
          <label for="webhook-url">HTTPS or e-mail address</label>
          <input
            id="webhook-url"
            type="text"
            inputMode="url"
            required
            placeholder="https://hooks.example.com/groundwatch"
            value={url}
            aria-invalid={isAbout(props.error, 'url') || isAbout(props.error, 'email')}
            onInput={(event) => props.onChange({ url: event.currentTarget.value, events })}
          />
        </>
      )}
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
