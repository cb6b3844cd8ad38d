/** The environment of a credential. Data of one environment cannot be accessed from another environment. */
export type Environment = 'sandbox' | 'staging' | 'production';

/** Account and environment that rows belong to. Every query on owned rows takes an owner. */
export interface Owner {
  readonly accountId: string;
  readonly environment: Environment;
}
