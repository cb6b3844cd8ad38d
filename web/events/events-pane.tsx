import { useState } from 'preact/hooks';
import { EVENT_DAYS } from '../../src/contract/limits.ts';
import { moment } from '../format.ts';
import { Waiting } from '../parts.tsx';
import { Problem } from '../problem.tsx';
import { routeHref } from '../route.ts';
import { NothingYet } from '../sandbox/nothing-yet.tsx';
import { useRecordDates } from '../session.ts';
import { useShownName } from '../shown-name.ts';
import { eventSubject, KEPT_EVENTS } from './event-row.ts';
import { useEvents } from './followed-events.ts';

/** Number of events that are shown at first, and more with each press of the button. */
const STEP = 40;

/** Lists the events that webhooks receive, newest first; new events appear as they happen. */
export function EventsPane() {
  const { events, listening, error, again } = useEvents();
  const hasDates = useRecordDates();
  const shownName = useShownName();
  const [shown, setShown] = useState(STEP);
  return (
    <>
      <h1>Events</h1>
      <Problem error={error} again={again} />
      {!listening && error === undefined && <Waiting for="events" />}
      {listening && (
        <p class="note">New events appear as they happen; the newest {KEPT_EVENTS} are kept here.</p>
      )}
      {listening && events.length === 0 && (
        <NothingYet what="events">
          <p class="empty">Nothing has happened in the last {EVENT_DAYS} days.</p>
        </NothingYet>
      )}
      <ul class="rows">
        {events.slice(0, shown).map((event) => {
          const { text, to } = eventSubject(event);
          return (
            <li key={event.id}>
              <span class="line">
                {to === undefined ? (
                  <span>{shownName(text)}</span>
                ) : (
                  <a href={routeHref(to)}>{shownName(text)}</a>
                )}
                <code class="nowrap">{event.type}</code>
              </span>
              {hasDates && <small>{moment(event.created_at)}</small>}
            </li>
          );
        })}
      </ul>
      {events.length > shown && (
        <button type="button" onClick={() => setShown(shown + STEP)}>
          Show more
        </button>
      )}
    </>
  );
}
