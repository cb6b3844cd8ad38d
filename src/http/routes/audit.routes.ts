import type { AuditRecord } from '../../app/access/audit-store.ts';
import { formatTimestamp } from '../../base/time.ts';
import * as contract from '../../contract/people/audit.ts';
import { route, type RouteContext } from '../route.ts';
import { type ListKind, nextPage, pageRequest } from './page.ts';

const LIST: ListKind = { name: 'audit', position: ['count'] };

export function auditRoutes(context: RouteContext): void {
  route(context, contract.listAudit, async ({ storage, principal, query, request, reply }) => {
    const page = await storage.audit.ofOwner(principal, pageRequest(LIST, query));
    return { records: page.items.map(present), ...nextPage(LIST, page, request, reply) };
  });
}

function present(record: AuditRecord): contract.AuditRecord {
  const { at, actor, action, target, environment, address, requestId, result, count } = record;
  return {
    at: formatTimestamp(at.getTime()),
    actor,
    action,
    target,
    environment,
    address,
    request_id: requestId,
    result,
    count,
  };
}
