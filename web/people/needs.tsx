import type { ComponentChildren } from 'preact';
import { useSession } from '../session.ts';
import { type Action, refusalOf } from './permissions.ts';

/**
 * Shows the controls of an action to users who may do it. Others see the reason instead, or with `quiet` nothing, for
 * controls that are repeated in a list.
 */
export function Needs(props: {
  readonly to: Action;
  readonly quiet?: boolean;
  readonly children: ComponentChildren;
}) {
  const refusal = refusalOf(useSession(), props.to);
  if (refusal === undefined) return <>{props.children}</>;
  return props.quiet ? null : <p class="note">{refusal}</p>;
}
