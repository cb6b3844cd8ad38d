import { useAnswer } from './answer.ts';
import { useClient } from './session.ts';

/** Gives a metric its unit, with the space before it; nothing for a plain number, or while units are not known. */
export function useUnits(): (metric: string) => string {
  const client = useClient();
  const { value } = useAnswer((signal) => client.listMetrics({ signal }), []);
  return (metric) => {
    const unit = value?.metrics.find(({ key }) => key === metric)?.unit;
    return unit === undefined || unit === '1' ? '' : `\u00a0${unit}`;
  };
}
