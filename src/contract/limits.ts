// The only place for the numbers that the interface promises. limits.test.ts checks the documentation and the code
// against these numbers.

/** Maximum number of locations in one batch. */
export const BATCH_LOCATIONS = 1000;
/** Number of locations in a batch that together cost one unit of the rate limit. */
export const LOCATIONS_PER_UNIT = 50;
/** Number of points of a series that together cost one unit of the rate limit. */
export const POINTS_PER_UNIT = 1000;
/** Number of vertices of a new area that together cost one unit of the rate limit. */
export const VERTICES_PER_UNIT = 500;
/** Size of the body of a call that costs one more unit [bytes]. */
export const BODY_UNIT_BYTES = 65_536;
/** Size of an answer, before compression, that costs one more unit [bytes]. */
export const ANSWER_UNIT_BYTES = 32_768;
/** Maximum number of points on a page of a series. */
export const SERIES_PAGE_POINTS = 10_000;
/** Maximum number of items on a page of a list. */
export const PAGE_ITEMS = 1000;
/** Maximum number of areas of an account in the state of a feed. */
export const FEED_AREAS = 1000;
/**
 * Size of the geometries or events on a page of a list, from which on the page ends early, with its cursor [bytes]. A
 * single one may be larger.
 */
export const PAGE_BYTES = 1024 * 1024;
/** Cost of a tile of a risk map that has to be computed [units]. */
export const TILE_UNITS = 5;
/** Highest zoom of tiles. A pixel of such a tile is 4 cm wide at the equator. */
export const TILE_ZOOM = 22;
/** Maximum number of features in a vector tile. */
export const TILE_FEATURES = 2_000;
/** Number of rows that are looked at to find the features of a vector tile, where more lie in it. */
export const TILE_ROWS = 5_000;
/** Maximum number of changes that one block of a raster of changes shows, the largest. */
export const RASTER_CHANGES = 5_000;
/** Size of a part of a raster that costs one more unit [bytes]. */
export const RASTER_UNIT_BYTES = 1024 * 1024;
/** Number of items on a page at `/stac`: the default and the maximum. */
export const STAC_ITEMS = { default: 100, most: 250 } as const;
/** Maximum number of collections of images that one search at `/stac` looks through. */
export const STAC_COLLECTIONS = 5_000;
/** Maximum number of problems of one request that its answer lists. */
export const NAMED_FAULTS = 100;
/** Maximum size of a body that comes without a valid credential [bytes]. */
export const STRANGER_BODY_BYTES = 16_384;
/** Time in which a body without a valid credential must arrive [s]. */
export const STRANGER_BODY_S = 5;
/**
 * Maximum size of the body of a request [bytes]. An area with the maximum number of vertices at full precision takes
 * half of it.
 */
export const BODY_BYTES = 2 * 1024 * 1024;

/** Maximum number of vertices of an area. The position that closes a ring is not counted. */
export const AREA_VERTICES = 10_000;
/**
 * Maximum size of an area [km²]. Russia, the largest country, has 17 million km² (CIA World Factbook), Antarctica 14
 * million.
 */
export const AREA_KM2 = 25_000_000;
/** Limits of one call that creates several areas. */
export const AREA_BATCH = {
  areas: 10_000,
  /** Positions of all their geometries, where the one that closes a ring counts too. */
  positions: 100_000,
  /** Size of the body [bytes]. */
  bytes: 8 * 1024 * 1024,
} as const;
/** Number of areas of such a call that together cost one unit of the rate limit. */
export const AREAS_PER_UNIT = 100;
/** Number of days for which the changes of a deleted area can still be read by id. */
export const DELETED_AREA_DAYS = 30;

/** Default rate limit of a key or client [units per minute]. */
export const RATE_LIMIT_UNITS = 600;
/**
 * What all credentials of an account may use together: defaults of the settings `GROUNDWATCH_ACCOUNT_*`. 0 is
 * unlimited.
 */
export const ACCOUNT_LIMITS = {
  /** Units per minute. */
  units: 60_000,
  /** Open event streams on one node. */
  streams: 200,
  /** Areas of interest, in all environments together, as all that follow. */
  areas: 100_000,
  /** Vertices of these areas together, where the position that closes a ring counts too. */
  vertices: 10_000_000,
  /** Risk watches, those of subscriptions included. */
  watches: 400_000,
  /** Anomaly subscriptions that are not cancelled. */
  subscriptions: 100_000,
  webhooks: 1_000,
  /** API keys that have not ended. */
  keys: 1_000,
  /** OAuth clients that are not revoked. */
  clients: 1_000,
} as const;
/** Limits of one account. */
export type AccountLimits = Readonly<Record<keyof typeof ACCOUNT_LIMITS, number>>;
/** Maximum number of open event streams per credential. */
export const OPEN_STREAMS = 100;
/** Interval between heartbeats on an event stream [s]. Proxies commonly close connections that are silent for 30 s. */
export const STREAM_HEARTBEAT_S = 15;
/** Number of days that GET /v1/usage reports. */
export const USAGE_DAYS = 30;
/** Number of hours for which an Idempotency-Key is remembered. */
export const IDEMPOTENCY_HOURS = 24;

/** Lifetime of a key [days]: the default and the maximum. */
export const KEY_DAYS = { default: 90, most: 365 } as const;
/** A key has the status `expiring` in this number of days before it expires. */
export const KEY_WARNING_DAYS = 14;
/** Number of hours for which a replaced key still works: the default and the maximum. */
export const KEY_OVERLAP_HOURS = { default: 24, most: 168 } as const;
/** Maximum length of an e-mail address [characters]: RFC 5321 section 4.5.3.1.3, without the angle brackets. */
export const EMAIL_LENGTH = 254;
/** Hours after which a session of the console ends: without a call, and in any case. */
export const SESSION_HOURS = { idle: 2, most: 12 } as const;
/** Minutes in which a sign-in must be completed. */
export const SIGN_IN_MINUTES = 10;
/** Lifetime of an access token [s]. */
export const ACCESS_TOKEN_S = 3600;
/** Lifetime of a refresh token [days]. */
export const REFRESH_TOKEN_DAYS = 30;
/** Time after which a client must prove itself again, however often it refreshed [days]. */
export const GRANT_DAYS = 90;
/** Time in which a refresh token gives the same successor again, for a client whose answer was lost [s]. */
export const REFRESH_GRACE_S = 10;
/** Maximum lifetime of the assertion by which a client proves itself [s]. */
export const ASSERTION_S = 300;
/** Maximum age of a DPoP proof, and how far ahead the caller's clock may be [s]. */
export const PROOF_AGE_S = 60;
/** Maximum number of public keys of an OAuth client. */
export const CLIENT_KEYS = 5;

/** Threshold of the risk score [0-1] in the watches that an anomaly subscription creates for its area. */
export const SUBSCRIPTION_THRESHOLD = 0.7;
/** How far below its threshold [0-1] a watched score must fall before it can cross the threshold again. */
export const REARM_BELOW = 0.05;

/** Confidence [0-1] from which a suspected change is sent as `change.suspected`. */
export const SUSPICION_CONFIDENCE = 0.8;
/** Maximum count of omitted suspicions that a list of changes states; it means this number or more. */
export const SUSPECTED_OMITTED_MAX = 10_000;

/** How long before the newest observation an anomaly has ended that counts as past when it is found [days]. */
export const PAST_DAYS = 90;

/** Maximum number of areas that an incident names, the main ones first. */
export const INCIDENT_AREAS = 20;
/** Maximum number of incidents that a digest lists, those that began last. */
export const DIGEST_INCIDENTS = 20;
/** Maximum number of anomalies, and of changes, that GET /v1/incidents/{id} lists: those that began last. */
export const INCIDENT_MEMBERS = 500;

/** Maximum number of changes of an account, the newest, whose fates GET /v1/models counts. */
export const EXPERIENCE_CHANGES = 5_000;

/** Number of days for which events and their deliveries are kept. */
export const EVENT_DAYS = 30;
/** Maximum number of vertices of a geometry in an event. */
export const EVENT_VERTICES = 200;
/** Timeout for the answer of a receiver to a delivery [s]. */
export const DELIVERY_TIMEOUT_S = 15;
/** Delay before each attempt of a delivery, in the order of the attempts. */
export const DELIVERY_SCHEDULE = '0,5s,5m,30m,2h,5h,10h,10h';
/** An endpoint is disabled after this number of days in which every delivery failed. */
export const FAILING_DAYS = 5;
/** Number of seconds for which replaced webhook secrets continue to sign deliveries: the default and the maximum. */
export const SECRET_OVERLAP_S = { default: 86_400, most: 604_800 } as const;

/** Time in which an e-mail address must be confirmed [h]. */
export const CONFIRM_HOURS = 24;
/** Maximum number of mails that are sent in a day (UTC), to one address by all accounts, and for one account. */
export const MAILS_A_DAY = {
  /** Mails that ask the recipient to confirm an address. */
  confirmations: { ofAddress: 3, ofAccount: 50 },
  /** Mails about events. Those above are sent on the next day. */
  mails: { ofAddress: 200, ofAccount: 2_000 },
} as const;
/** Number of days for which a recipient who refused a confirmation gets no other. */
export const REFUSED_DAYS = 365;

/** Returns the word for a whole number from 0 to 10, for the documentation. @throws RangeError above ten */
export function inWords(value: number): string {
  const word = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'][value];
  if (word === undefined) throw new RangeError(`no word for ${value}`);
  return word;
}

/** Formats a whole number for the documentation, such as `10,000`. */
export function whole(value: number): string {
  return value.toLocaleString('en-US');
}
