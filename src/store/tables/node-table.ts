import type { NodeRole } from '../../app/nodes/node-store.ts';

/** A process that serves. */
export interface NodesTable {
  id: string;
  roles: NodeRole[];
  host: string;
  version: string;
  started_at: Date;
  seen_at: Date;
  clock_offset_s: number;
  load: number;
}
