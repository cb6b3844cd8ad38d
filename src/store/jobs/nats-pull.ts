import { createInbox, nanos, type Msg, type NatsConnection } from '@nats-io/transport-node';

const ANSWER_MS = 5_000; // time after the end of a pull in which the server says that it ended

/**
 * Waits for a message of one of several consumers: the server is asked once, and answers when there is one. If several
 * come at once, the others go back to the server.
 * @param waitMs time after which the server gives up; 0: it answers at once
 * @param signal gives up at once
 * @returns undefined when there is none
 * @throws Error when the server refuses, for example because a consumer is gone, or says nothing
 */
export function pullMessage(
  connection: NatsConnection,
  stream: string,
  consumers: readonly string[],
  waitMs: number,
  signal: AbortSignal,
): Promise<Msg | undefined> {
  return new Promise((resolve, reject) => {
    let over = false;
    let ended = 0;
    const end = (settle: () => void): void => {
      over = true;
      clearTimeout(timeout);
      signal.removeEventListener('abort', none);
      // What comes until the server knows is still handed to the callback.
      for (const one of subscriptions) void one.drain().catch(() => undefined);
      settle();
    };
    const none = (): void => {
      if (!over) end(() => resolve(undefined));
    };
    const take = (error: Error | null, message: Msg): void => {
      const isMessage = error === null && message.reply !== undefined && message.reply !== '';
      if (over) {
        if (isMessage) message.respond('-NAK');
        return;
      }
      if (isMessage) return end(() => resolve(message));
      const code = message?.headers?.code;
      // 404: there is no message, 408: the time is over; others tell that the consumer or the server is gone.
      if (error === null && (code === 404 || code === 408)) {
        ended += 1;
        if (ended === consumers.length) none();
        return;
      }
      end(() => reject(error ?? new Error(`NATS: ${code} ${message.headers?.description}`)));
    };
    // Each question has a subscription of its own, since messages keep the subject that they were sent to.
    const asked = consumers.map((consumer) => ({ consumer, inbox: createInbox() }));
    const subscriptions = asked.map(({ inbox }) => connection.subscribe(inbox, { callback: take }));
    const silent = (): void => end(() => reject(new Error('NATS: the server does not answer')));
    const timeout = setTimeout(silent, waitMs + ANSWER_MS);
    signal.addEventListener('abort', none);
    const question = JSON.stringify(
      waitMs === 0 ? { batch: 1, no_wait: true } : { batch: 1, expires: nanos(waitMs) },
    );
    for (const { consumer, inbox } of asked)
      connection.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`, question, { reply: inbox });
    if (signal.aborted) none();
  });
}
