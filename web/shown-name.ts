import { useCallback } from 'preact/hooks';
import { useSession } from './session.ts';

/** What the names of the areas of the simulated region end with. */
const MARK = ' (simulated)';

/**
 * Returns the function that gives a name as the console shows it. In the sandbox the bar at the top says that the region
 * is simulated, so the names there do not say it again.
 */
export function useShownName(): (name: string) => string {
  const { environment } = useSession();
  return useCallback(
    (name: string) => (environment === 'sandbox' ? name.replaceAll(MARK, '') : name),
    [environment],
  );
}
