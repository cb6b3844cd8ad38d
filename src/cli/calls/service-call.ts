import { InvalidInput } from '../../base/errors.ts';
import { Groundwatch } from '../../client/groundwatch.ts';
import { itemsOf } from '../../client/pages.ts';
import type { ClientOptions } from '../../client/transport.ts';
import type { CliContext, Option } from '../command.ts';
import { savedLogin } from './saved-login.ts';

/** Options of the client for the service that `login` kept. @throws Failed when there is no login */
export async function clientOptions(context: CliContext): Promise<ClientOptions> {
  const caller = context.caller();
  const { url, key, ca } = await savedLogin(caller.loginFile);
  return { baseUrl: url, apiKey: key, fetch: caller.fetchTrusting(ca) };
}

/** A client of the service that `login` kept. @throws Failed when there is no login */
export async function service(context: CliContext): Promise<Groundwatch> {
  return new Groundwatch(await clientOptions(context));
}

interface FeaturePage {
  readonly features: readonly { readonly id: string; readonly properties: object }[];
  readonly next_cursor?: string;
}

/**
 * Everything of a list that can be drawn. As JSON its items have a few members only, as GeoJSON all of them.
 * @param read reads one page as GeoJSON
 */
export async function allOf<Item>(
  read: (paging: { readonly cursor?: string }) => Promise<FeaturePage>,
): Promise<readonly (Item & { readonly id: string })[]> {
  const found: (Item & { readonly id: string })[] = [];
  const items = itemsOf(read, (page) => page.features);
  for await (const { id, properties } of items) found.push({ ...(properties as Item), id });
  return found;
}

/** Option of the commands that list what lies in one area. */
export const AREA: Option = { value: 'NAME|ID', meaning: 'area of interest', required: true };

/** The id of an area that is given by id or by name. @throws InvalidInput when none or several have the name */
export async function areaId(groundwatch: Groundwatch, given: string): Promise<string> {
  if (/^aoi_[0-9a-z]+$/.test(given)) return given;
  const found: string[] = [];
  for await (const { id, name } of groundwatch.aois({ limit: 1000 })) if (name === given) found.push(id);
  if (found.length === 1) return found[0]!;
  throw new InvalidInput(
    found.length === 0
      ? `--area: there is no area named ${given}`
      : `--area: ${found.length} areas are named ${given}; give one of ${found.join(', ')}`,
  );
}
