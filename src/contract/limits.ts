// The only place for the numbers that the interface promises. limits.test.ts checks the documentation and the code against them.

/** Locations of one batch. */
export const BATCH_LOCATIONS = 1000;
/** Locations of a batch that cost one unit. */
export const LOCATIONS_PER_UNIT = 50;
/** Points of a series that cost one unit. */
export const POINTS_PER_UNIT = 1000;
/** Points on a page of a series. */
export const SERIES_PAGE_POINTS = 10_000;
/** Items on a page of a list. */
export const PAGE_ITEMS = 1000;
/** Faults of one request that are named. */
export const NAMED_FAULTS = 100;
/** Body of a request [bytes]: an area of the most vertices at full precision takes half of it. */
export const BODY_BYTES = 2 * 1024 * 1024;

/** Vertices of an area; the position that closes a ring is not counted. */
export const AREA_VERTICES = 10_000;
/** Days for which the changes of a deleted area stay readable by id. */
export const DELETED_AREA_DAYS = 30;

/** Units a minute of a key or client that was given no limit. */
export const RATE_LIMIT_UNITS = 600;
/** Event streams that a credential may have open. */
export const OPEN_STREAMS = 100;
/** Seconds between signs of life on an event stream. Proxies commonly cut what is silent for 30 s. */
export const STREAM_HEARTBEAT_S = 15;
/** Hours for which an Idempotency-Key is remembered. */
export const IDEMPOTENCY_HOURS = 24;

/** Days that a key lasts unless it is told otherwise, and at most. */
export const KEY_DAYS = { default: 90, most: 365 } as const;
/** Days before its end from which a key is called expiring. */
export const KEY_WARNING_DAYS = 14;
/** Hours that a replaced key still works, unless told otherwise, and at most. */
export const KEY_OVERLAP_HOURS = { default: 24, most: 168 } as const;
/** Seconds that an access token lasts. */
export const ACCESS_TOKEN_S = 3600;
/** Days that a refresh token lasts. */
export const REFRESH_TOKEN_DAYS = 30;

/** Score at which an anomaly subscription watches the risk of its area. */
export const SUBSCRIPTION_THRESHOLD = 0.7;
/** How far below its threshold [score] a watched score must fall before it can cross again. */
export const REARM_BELOW = 0.05;

/** Days for which events and their deliveries are kept. */
export const EVENT_DAYS = 30;
/** Vertices of a geometry in an event. */
export const EVENT_VERTICES = 200;
/** Seconds that a receiver has to answer a delivery. */
export const DELIVERY_TIMEOUT_S = 15;
/** Delays before the attempts of a delivery. */
export const DELIVERY_SCHEDULE = '0,5s,5m,30m,2h,5h,10h,10h';
/** Days of nothing but failed deliveries after which an endpoint is disabled. */
export const FAILING_DAYS = 5;
/** Seconds for which the webhook secrets before a rotation go on signing, unless told otherwise, and at most. */
export const SECRET_OVERLAP_S = { default: 86_400, most: 604_800 } as const;

/** A whole number as the documentation writes it: `10,000`. */
export function whole(value: number): string {
  return value.toLocaleString('en-US');
}
