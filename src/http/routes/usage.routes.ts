import * as contract from '../../contract/usage.ts';
import { USAGE_DAYS } from '../../contract/limits.ts';
import { route, type RouteContext } from '../route.ts';
import { DAY_MS, formatDay } from '../../base/time.ts';

export function usageRoutes(context: RouteContext): void {
  const { clock } = context.deps;
  route(context, contract.getUsage, async ({ storage, principal, request }) => {
    const from = formatDay(clock.now() - (USAGE_DAYS - 1) * DAY_MS);
    const days = await storage.usage.since(principal, from);
    return {
      credential_id: principal.keyId,
      limit: principal.rateLimit,
      remaining: request.allowance?.remaining ?? 0,
      days: days.map(({ day, credentialId, units }) => ({ day, credential_id: credentialId, units })),
    };
  });
}
