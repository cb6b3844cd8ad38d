import { OPERATIONS } from '../../src/contract/operations.ts';
import { create, insertBefore, replace } from './edit.ts';

/** For each resource of src/contract, its folder in src/app, and its file in src/http/routes if named differently. */
const RESOURCES: Readonly<Record<string, { readonly subject: string; readonly routes?: string }>> = {
  anomalies: { subject: 'anomalies' },
  aois: { subject: 'areas' },
  changes: { subject: 'changes' },
  clients: { subject: 'access' },
  deliveries: { subject: 'webhooks' },
  'event-list': { subject: 'events', routes: 'events' },
  historical: { subject: 'series' },
  keys: { subject: 'access' },
  risk: { subject: 'risk' },
  sandbox: { subject: 'sandbox' },
  stations: { subject: 'stations' },
  subscriptions: { subject: 'anomalies' },
  usage: { subject: 'access' },
  watches: { subject: 'watches' },
  webhooks: { subject: 'webhooks' },
};

/** Writes the skeleton of an operation of an existing resource: CONTRIBUTING.md, "Add an operation". */
export function newOperation(name: string, resource: string): void {
  if (OPERATIONS.some(({ id }) => id === name)) throw new Error(`there is an operation ${name} already`);
  const home = RESOURCES[resource];
  if (home === undefined)
    throw new Error(`resource: expected one of ${Object.keys(RESOURCES).join(', ')}, got ${resource}`);
  const kebab = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const path = `/v1/${kebab}`;
  const declaration = `src/contract/${resource}.ts`;
  insertBefore(
    declaration,
    /^(?:\/\*\*[^\n]*\*\/\n)?export const [A-Z]+_OPERATIONS = \[/,
    `export const ${name} = operation({
  id: '${name}',
  method: 'GET',
  path: '${path}',
  tag: 'Risk',
  summary: 'One sentence that says what it answers',
  scopes: [],
  query: Type.Object({ name: Type.String({ minLength: 1 }) }, { additionalProperties: false }),
  answers: [
    {
      status: 200,
      description: 'What it answers.',
      body: Type.Object({ greeting: Type.String(), has_areas: Type.Boolean() }, { title: '${name[0]!.toUpperCase()}${name.slice(1)}' }),
    },
  ],
  example: { parameters: { name: 'world' }, answer: { greeting: 'hello, world', has_areas: true } },
});

`,
  );
  replace(declaration, /(_OPERATIONS = \[[^\]]*?),?\s*\] as const/, `$1, ${name}] as const`);
  create(`src/app/${home.subject}/${kebab}.ts`, useCase(name));
  const routes = `src/http/routes/${home.routes ?? resource}.routes.ts`;
  insertBefore(
    routes,
    /^import /,
    `import { ${name} } from '../../app/${home.subject}/${kebab}.ts';\n`,
    'first',
  );
  insertBefore(
    routes,
    /^\}$/,
    `  route(context, contract.${name}, ({ storage, principal, query }) =>
    ${name}({ storage }, principal, query.name),
  );\n`,
    'first',
  );
  const client = 'src/client/groundwatch.ts';
  insertBefore(
    client,
    /^ {2}async #send</,
    `  ${name}(query: QueryOf<'${name}'>, options?: CallOptions): Promise<ResultOf<'${name}'>> {
    return this.#get('${path}', query, options);
  }

`,
  );
  insertBefore(
    'test/contract/operation-cases.ts',
    /^\};$/,
    `  ${name}: { success: { 200: () => ({ path: '${path}?name=world' }) } },\n`,
  );
  insertBefore('src/contract/release-history.ts', /^ {4}\],$/, `      'Added GET ${path}.',\n`, 'first');
}

/** Source text of the use case in the skeleton. Like most use cases, it reads the database. */
function useCase(name: string): string {
  return `import type { Deps } from '../deps.ts';
import type { Owner } from '../owner.ts';

/** Greets a name, and says whether the caller has an area of interest. */
export async function ${name}(
  { storage }: Pick<Deps, 'storage'>,
  owner: Owner,
  name: string,
): Promise<{ readonly greeting: string; readonly has_areas: boolean }> {
  const { items } = await storage.aois.list(owner, { limit: 1, after: undefined });
  return { greeting: \`hello, \${name}\`, has_areas: items.length > 0 };
}
`;
}
