import { claim } from '../../app/account-use.ts';
import type { ClientRecord } from '../../app/access/client-store.ts';
import { issueClient, ownClient, replaceClientKeys, revokeClient } from '../../app/access/manage-clients.ts';
import * as contract from '../../contract/clients.ts';
import { KEY_OVERLAP_HOURS } from '../../contract/limits.ts';
import { formatTimestamp } from '../../base/time.ts';
import { type ListKind, nextPage, pageRequest } from './page.ts';
import { creatingRoute, route, type RouteContext } from '../route.ts';

const LIST: ListKind = { name: 'clients', position: ['client'] };

export function clientRoutes(context: RouteContext): void {
  const { clock, newClientSecret } = context.deps;
  creatingRoute(context, contract.createClient, async ({ stores, principal, body }) => {
    await claim(stores, principal, 'clients', context.accountLimits);
    const { id, secret, scopes, rateLimit } = await issueClient(newClientSecret, stores, principal, body);
    return {
      status: 201,
      location: `/v1/clients/${id}`,
      body: {
        client_id: id,
        ...(secret !== undefined && { client_secret: secret }),
        scopes,
        limit: rateLimit,
      },
    };
  });
  route(context, contract.listClients, async ({ storage, principal, query, request, reply }) => {
    const page = await storage.clients.owned(principal, pageRequest(LIST, query));
    return { clients: page.items.map(present), ...nextPage(LIST, page, request, reply) };
  });
  route(context, contract.getClient, async ({ storage, principal, params }) =>
    present(await ownClient(storage, principal, params.id)),
  );
  route(context, contract.replaceClientKeys, async ({ storage, principal, params, query, body }) => {
    const { overlap_hours: overlapHours = KEY_OVERLAP_HOURS.default } = query;
    const asked = { jwks: body.jwks, overlapHours };
    return present(await replaceClientKeys(storage, principal, params.id, asked, clock.now()));
  });
  route(context, contract.revokeClient, async ({ storage, principal, params }) => {
    await revokeClient(storage, principal, params.id, clock.now());
  });
}

function present(client: ClientRecord): contract.Client {
  return {
    client_id: client.id,
    name: client.name,
    environment: client.environment,
    scopes: [...client.scopes],
    limit: client.rateLimit,
    token_endpoint_auth_method: client.jwks === null ? 'client_secret' : 'private_key_jwt',
    former_keys_until: client.formerUntil && formatTimestamp(client.formerUntil.getTime()),
    created_at: formatTimestamp(client.createdAt.getTime()),
    last_used_at: client.lastUsedAt && formatTimestamp(client.lastUsedAt.getTime()),
  };
}
