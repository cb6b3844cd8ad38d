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

/** Lists the events that webhooks receive, newest first; new events appear as they happen. */
export function EventsPane() {
  const { events, listening, error, again } = useEvents();
  const hasDates = useRecordDates();
  const shownName = useShownName();
  return (
    <>
      <h1>Events</h1>
      <Problem error={error} again={again} />
      {!listening && error === undefined && <Waiting for="events" />}
      {listening && <p class="note">New events appear as they happen; the newest {KEPT_EVENTS} are shown.</p>}
      {listening && events.length === 0 && (
        <NothingYet what="events">
          <p class="empty">Nothing has happened in the last {EVENT_DAYS} days.</p>
        </NothingYet>
      )}
      <ul class="rows">
        {events.map((event) => {
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
    </>
  );
}
