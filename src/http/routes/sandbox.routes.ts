import { advanceSandbox } from '../../app/sandbox/advance-sandbox.ts';
import { Forbidden } from '../../base/errors.ts';
import { readSandbox } from '../../app/sandbox/read-sandbox.ts';
import * as contract from '../../contract/sandbox.ts';
import { route, type RouteContext } from '../route.ts';

export function sandboxRoutes(context: RouteContext): void {
  const { deps, acrossAccounts } = context;
  route(context, contract.getSandbox, async () => {
    const { status, progress, date, bounds } = await readSandbox(acrossAccounts);
    return { status, progress, date, bounds: [...bounds], simulated: true };
  });
  route(context, contract.advanceSandbox, async ({ principal, body }) => {
    if (principal.environment !== 'sandbox')
      throw new Forbidden(
        `Only a credential of the sandbox may move its clock; this one is of ${principal.environment}`,
        contract.advanceSandbox.scopes,
      );
    // The storage is that of all accounts, because all accounts share one region.
    return advanceSandbox({ ...deps, storage: acrossAccounts }, body.days);
  });
}
