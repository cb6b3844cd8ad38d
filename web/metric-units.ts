import { useAnswer } from './answer.ts';
import { useClient } from './session.ts';

/**
 * Returns a function that looks up the unit of a metric, with a leading space. The text is empty for a metric without a
 * unit, and until the units are loaded.
 */
export function useUnits(): (metric: string) => string {
  const client = useClient();
  const { value } = useAnswer((signal) => client.listMetrics({ signal }), []);
  return (metric) => {
    const unit = value?.metrics.find(({ key }) => key === metric)?.unit;
    return unit === undefined || unit === '1' ? '' : `\u00a0${unit}`;
  };
}
