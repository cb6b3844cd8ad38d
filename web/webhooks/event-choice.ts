import { type EventType, NAMED_ONLY } from '../../src/contract/events.ts';

/** A type of event, or `*` for every type that need not be named. */
export type EventChoice = EventType | '*';

const isNamedOnly = (type: EventChoice): boolean => type !== '*' && NAMED_ONLY.includes(type);

/**
 * Returns the chosen types after one was chosen or removed. `*` replaces the types that it includes, and each of these
 * types replaces `*`.
 */
export function withChoice(
  chosen: readonly EventChoice[],
  type: EventChoice,
  isChosen: boolean,
): readonly EventChoice[] {
  const others = chosen.filter((one) => one !== type);
  if (!isChosen) return others;
  if (isNamedOnly(type)) return [...others, type];
  return [...others.filter((one) => (type === '*' ? isNamedOnly(one) : one !== '*')), type];
}

/** Names the types of events of an endpoint as one line of text. */
export function choiceText(chosen: readonly string[]): string {
  if (!chosen.includes('*')) return chosen.join(', ');
  const missing = NAMED_ONLY.filter((type) => !chosen.includes(type));
  return missing.length === 0 ? 'every event' : `every event but ${missing.join(', ')}`;
}
