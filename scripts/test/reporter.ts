import { Readable } from 'node:stream';
import { spec, type TestEvent } from 'node:test/reporters';

/** Environment variable with the line that the reporter adds to the summary. */
export const NOTE = 'GROUNDWATCH_TEST_NOTE';

/** The reporter of Node with one more line at the head of the summary, about what the run left out. */
export default async function* reporter(events: AsyncIterable<TestEvent>): AsyncGenerator {
  yield* Readable.from(withNote(events, process.env[NOTE] ?? '')).pipe(new spec());
}

/** Adds a line before the first line of the summary. @param note the line; nothing is added when it is empty */
export async function* withNote(events: AsyncIterable<TestEvent>, note: string): AsyncGenerator<TestEvent> {
  let isTold = note === '';
  for await (const event of events) {
    if (!isTold && isSummary(event)) {
      isTold = true;
      yield { ...event, data: { ...event.data, message: note } };
    }
    yield event;
  }
}

/** Whether an event is the first line of the summary. A test in a suite may print the like, below its suite. */
function isSummary(event: TestEvent): event is Extract<TestEvent, { type: 'test:diagnostic' }> {
  if (event.type !== 'test:diagnostic') return false;
  const { nesting, message } = event.data;
  return nesting === 0 && /^tests \d+$/.test(message);
}
