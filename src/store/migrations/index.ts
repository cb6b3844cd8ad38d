import type { Migration } from 'kysely/migration';
import type { PreparedIndex } from '../connection/prepared-index.ts';
import * as foundation from './0001-0020/0001-foundation.ts';
import * as collectionMetrics from './0001-0020/0002-collection-metrics.ts';
import * as feeds from './0001-0020/0003-feeds.ts';
import * as riskWatches from './0001-0020/0004-risk-watches.ts';
import * as sandbox from './0001-0020/0005-sandbox.ts';
import * as deliveries from './0001-0020/0006-deliveries.ts';
import * as credentials from './0001-0020/0007-credentials.ts';
import * as rowSecurity from './0001-0020/0008-row-security.ts';
import * as underivedStations from './0001-0020/0009-underived-stations.ts';
import * as standingFeeds from './0001-0020/0010-standing-feeds.ts';
import * as simulated from './0001-0020/0011-simulated.ts';
import * as changeVersions from './0001-0020/0012-change-versions.ts';
import * as sceneReadings from './0001-0020/0013-scene-readings.ts';
import * as toldChanges from './0001-0020/0014-told-changes.ts';
import * as claimFates from './0001-0020/0015-claim-fates.ts';
import * as eventOrder from './0001-0020/0016-event-order.ts';
import * as listIndexes from './0001-0020/0017-list-indexes.ts';
import * as tokenProofs from './0001-0020/0018-token-proofs.ts';
import * as people from './0001-0020/0019-people.ts';
import * as accountCaps from './0001-0020/0020-account-caps.ts';
import * as smallLocks from './0022-small-locks.ts';
import * as keyList from './0023-key-list.ts';
import * as formerWriters from './0024-former-writers.ts';
import * as wholeAccountRecords from './0025-whole-account-records.ts';
import * as wrappedKeys from './0026-wrapped-keys.ts';
import * as formerClientKeys from './0027-former-client-keys.ts';
import * as accountKeys from './0028-account-keys.ts';
import * as incidents from './0029-incidents.ts';
import * as quietHours from './0030-quiet-hours.ts';
import * as digests from './0031-digests.ts';
import * as placesOfAccounts from './0032-places-of-accounts.ts';
import * as mail from './0035-mail.ts';
import * as nodes from './0040-nodes.ts';
import * as trueColour from './0047-true-colour.ts';
import * as jobs from './0049-jobs.ts';
import * as searchUnits from './0050-search-units.ts';
import * as pastIncidents from './0051-past-incidents.ts';
import * as traces from './0055-traces.ts';
import * as stationFeeds from './0057-station-feeds.ts';
import * as departuresOfMembers from './0059-departures-of-members.ts';
import * as attemptsByWeek from './0061-attempts-by-week.ts';
import * as workersOfJobs from './0062-workers-of-jobs.ts';
import * as holdersOfUnits from './0063-holders-of-units.ts';
import * as accountsInKeysOfAreas from './0066-accounts-in-keys-of-areas.ts';
import * as accountsInKeysOfEvents from './0067-accounts-in-keys-of-events.ts';

/** All migrations, in order of their names. Neither a released migration nor its name may ever change. */
export const migrations: Record<string, Migration> = {
  '0001-foundation': foundation,
  '0002-collection-metrics': collectionMetrics,
  '0003-feeds': feeds,
  '0004-risk-watches': riskWatches,
  '0005-sandbox': sandbox,
  '0006-deliveries': deliveries,
  '0007-credentials': credentials,
  '0008-row-security': rowSecurity,
  '0009-underived-stations': underivedStations,
  '0010-standing-feeds': standingFeeds,
  '0011-simulated': simulated,
  '0012-change-versions': changeVersions,
  '0013-scene-readings': sceneReadings,
  '0014-told-changes': toldChanges,
  '0015-claim-fates': claimFates,
  '0016-event-order': eventOrder,
  '0017-list-indexes': listIndexes,
  '0018-token-proofs': tokenProofs,
  '0019-people': people,
  '0020-account-caps': accountCaps,
  '0022-small-locks': smallLocks,
  '0023-key-list': keyList,
  '0024-former-writers': formerWriters,
  '0025-whole-account-records': wholeAccountRecords,
  '0026-wrapped-keys': wrappedKeys,
  '0027-former-client-keys': formerClientKeys,
  '0028-account-keys': accountKeys,
  '0029-incidents': incidents,
  '0030-quiet-hours': quietHours,
  '0031-digests': digests,
  '0032-places-of-accounts': placesOfAccounts,
  '0035-mail': mail,
  '0040-nodes': nodes,
  '0047-true-colour': trueColour,
  '0049-jobs': jobs,
  '0050-search-units': searchUnits,
  '0051-past-incidents': pastIncidents,
  '0055-traces': traces,
  '0057-station-feeds': stationFeeds,
  '0059-departures-of-members': departuresOfMembers,
  '0061-attempts-by-week': attemptsByWeek,
  '0062-workers-of-jobs': workersOfJobs,
  '0063-holders-of-units': holdersOfUnits,
  '0066-accounts-in-keys-of-areas': accountsInKeysOfAreas,
  '0067-accounts-in-keys-of-events': accountsInKeysOfEvents,
};

/**
 * Migrations that begin a transaction of their own. They lock whole tables; a call that waits for a table of an earlier
 * migration could hold one of these for as long as that migration takes.
 */
export const OWN_TRANSACTIONS: readonly string[] = [
  '0066-accounts-in-keys-of-areas',
  '0067-accounts-in-keys-of-events',
];

/** Indexes that are built before a migration, while calls go on. It builds those itself that are not there. */
export const PREPARED: Readonly<Record<string, readonly PreparedIndex[]>> = {
  '0066-accounts-in-keys-of-areas': accountsInKeysOfAreas.INDEXES,
  '0067-accounts-in-keys-of-events': accountsInKeysOfEvents.INDEXES,
};

/**
 * The oldest migration that a release must know to use the database of this release. Raise it in the release that takes
 * away what the release before it still uses: never in the one that adds the replacement.
 */
export const RELEASE_FLOOR = '0024-former-writers';

/** Former names of migrations, as recorded in databases of earlier versions, and their current names. */
export const renamedMigrations: Readonly<Record<string, string>> = {
  '0011-standing-feeds': '0010-standing-feeds',
};
