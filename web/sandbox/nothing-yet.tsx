import type { ComponentChildren } from 'preact';
import { percent } from '../format.ts';
import { useRegion } from './region-context.ts';

/**
 * Message for an empty list: the children. While the simulated region is being created, the progress is shown instead
 * of the children.
 */
export function NothingYet(props: { readonly what: string; readonly children: ComponentChildren }) {
  const { state, waiting } = useRegion();
  if (waiting) return null;
  if (state?.status !== 'being_made') return <>{props.children}</>;
  return (
    <p class="empty">
      The simulated region is being made, {percent(state.progress)} so far: its {props.what} will appear here
      by themselves.
    </p>
  );
}
