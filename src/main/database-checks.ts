import type { InstallationCheck } from '../cli/installation-check.ts';
import type { Config } from '../config.ts';
import type { DiagnosisDeps } from './diagnosis-deps.ts';

const CLOCK_DRIFT_MS = 2_000; // maximum difference between the clocks of this machine and the database

const ROW_SECURITY_REMEDY =
  'as an administrator of the database create the role and grant it: docs/operations.md "PostgreSQL of your own"';
const CLOCK_REMEDY = 'set both clocks by a time server: keys and tokens expire by them';
const SECRETS_REMEDY =
  'put back the file secret-key, or the keys of GROUNDWATCH_SECRET_KEY; or, if the key is lost: groundwatch secrets forget';

type Open = () => Promise<Pick<DiagnosisDeps, 'server' | 'secrets'>>;

export const databaseCheck = (open: Open): InstallationCheck => ({
  part: 'database',
  needs: 'settings',
  remedy:
    'check that DATABASE_URL is right and that its server runs, or leave it unset: the service then runs its own',
  async look() {
    const { version, isPooled } = await (await open()).server();
    const pooler = isPooled ? ' through a pooler' : '';
    return { status: 'ok', found: `PostgreSQL ${version} answers${pooler}, its tables are of this release` };
  },
});

export const rowSecurityCheck = (open: Open): InstallationCheck => ({
  part: 'row-level security',
  needs: 'database',
  remedy: ROW_SECURITY_REMEDY,
  async look() {
    const { rowSecurityProblem } = await (await open()).server();
    return rowSecurityProblem === undefined
      ? { status: 'ok', found: 'the database separates accounts and environments' }
      : { status: 'warn', found: rowSecurityProblem, remedy: ROW_SECURITY_REMEDY };
  },
});

export const timeCheck = (open: Open): InstallationCheck => ({
  part: 'time',
  needs: 'database',
  remedy: CLOCK_REMEDY,
  async look() {
    const { server } = await open();
    const before = Date.now();
    const { nowMs } = await server();
    const drift = nowMs - (before + Date.now()) / 2;
    const found = `the database's clock is ${Math.abs(Math.round(drift))} ms ${drift < 0 ? 'behind' : 'ahead of'} this machine's`;
    return Math.abs(drift) <= CLOCK_DRIFT_MS
      ? { status: 'ok', found }
      : { status: 'warn', found, remedy: CLOCK_REMEDY };
  },
});

const OVERDUE_S = 600; // age of a waiting job from which the workers do not keep up
const JOBS_REMEDY =
  'check that a worker runs (groundwatch nodes), and that the server of NATS_URL does, if it is set';

export const jobsCheck = (
  config: () => Config,
  open: () => Promise<Pick<DiagnosisDeps, 'deps'>>,
): InstallationCheck => ({
  part: 'jobs',
  needs: 'database',
  remedy: JOBS_REMEDY,
  async look() {
    const { natsUrl: servers } = config();
    if (servers !== undefined) await (await import('../store/jobs/nats-link.ts')).tryNats({ servers });
    const counts = await (await open()).deps.storage.jobs.counts();
    const sum = (of: 'waiting' | 'running' | 'failed') => counts.reduce((all, one) => all + one[of], 0);
    const overdue = Math.round(Math.max(0, ...counts.map(({ overdueS }) => overdueS)));
    const by = servers === undefined ? 'in the database' : 'with the server of NATS_URL, which answers';
    const found = `${sum('waiting')} wait, the oldest for ${overdue} s, ${sum('running')} run, ${sum('failed')} were given up, ${by}`;
    return overdue <= OVERDUE_S && sum('failed') === 0
      ? { status: 'ok', found }
      : {
          status: 'warn',
          found,
          remedy: overdue > OVERDUE_S ? JOBS_REMEDY : 'the log names why jobs failed',
        };
  },
});

export const secretsCheck = (open: Open): InstallationCheck => ({
  part: 'secrets',
  needs: 'database',
  remedy: SECRETS_REMEDY,
  async look() {
    const { all, closed } = await (await open()).secrets();
    return closed === 0
      ? { status: 'ok', found: `${all} at rest, all open under the key there is` }
      : {
          status: 'fail',
          found: `${closed} of ${all} at rest do not open under the key there is`,
          remedy: SECRETS_REMEDY,
        };
  },
});
