import type { ComponentChildren } from 'preact';
import { percent } from '../format.ts';
import { useRegion } from './region-context.ts';

/** Said where there is nothing: the children, unless the simulated region is still being made. */
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
