/** A process that serves: the API, the workers, or both. */
export interface ServingNode {
  readonly id: string;
  readonly roles: readonly NodeRole[];
  /** Name of its machine. */
  readonly host: string;
  readonly version: string;
  readonly startedAt: Date;
  /** When it last reported, by the clock of the database. */
  readonly seenAt: Date;
  /** Time since it last reported [s]. */
  readonly silentS: number;
  /** Its clock minus that of the database [s]. */
  readonly clockOffsetS: number;
  /** Mean number of runnable processes of its machine over the last minute, divided by its processors. */
  readonly load: number;
}

export type NodeRole = 'api' | 'worker';

/** What a node reports of itself. */
export type NodeReport = Pick<
  ServingNode,
  'id' | 'roles' | 'host' | 'version' | 'startedAt' | 'clockOffsetS' | 'load'
>;

/** The nodes of an installation. */
export interface NodeStore {
  /** Time of the database [ms since the Unix epoch]. */
  now(): Promise<number>;
  /** Records a report with the time of the database, and forgets nodes that have not reported for an hour. */
  report(node: NodeReport): Promise<void>;
  /** Forgets a node that stops. */
  leave(id: string): Promise<void>;
  /** Lists the nodes, oldest first. */
  list(): Promise<readonly ServingNode[]>;
}
