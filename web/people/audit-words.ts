import { words } from '../format.ts';

/** Formats an action such as `createKey`, or a command such as `members add`, as words: `Create key`. */
export function actionWords(action: string): string {
  return words(
    action.replaceAll(/([a-z])([A-Z])/g, (_, before, after) => `${before} ${after.toLowerCase()}`),
  );
}

/**
 * Says who acted: the address of a member, otherwise what kind of caller it was.
 * @param names addresses of the members by their ids
 */
export function actorWords(actor: string, names: ReadonlyMap<string, string>): string {
  const name = names.get(actor);
  if (name !== undefined) return name;
  if (actor.startsWith('mbr_')) return names.size === 0 ? 'member' : 'former member';
  if (actor.startsWith('key_')) return 'API key';
  if (actor.startsWith('cli_')) return 'OAuth client';
  return actor;
}
