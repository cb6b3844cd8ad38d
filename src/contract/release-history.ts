/** One release of the interface and what it added or changed. */
export interface Release {
  readonly release: string;
  readonly changes: readonly string[];
}

/** Every release of the interface, newest first. */
export const RELEASES: readonly [Release, ...Release[]] = [
  {
    release: 'v1.3.0',
    changes: [
      'Added areas of interest: create, list, read (with the images that cover them), rename and delete under /v1/aois, and up to 10,000 created at once by POST /v1/aois/batch.',
      'Added risk watches under /v1/risk/watches: points and areas whose score is looked at again when layers or models change.',
      'Added listing and management of anomaly subscriptions and of webhooks, test events and delivery logs.',
      'Added GET /v1/anomalies/{id}, GET /v1/models, GET /v1/metrics and GET /v1/stations; GET /v1/historical also answers from stations.',
      'Added the optional parameters explain, limit, cursor, order, published_since, status and f, and the media types application/geo+json and, of lists and series, text/csv and application/vnd.apache.parquet (f=csv, f=parquet).',
      'Added GET /v1/sandbox and POST /v1/sandbox/advance, for credentials of the sandbox environment.',
      'Added cursor paging, Idempotency-Key, and the RateLimit and RateLimit-Policy headers beside the X-RateLimit ones.',
      'Answers of PATCH have an ETag. PATCH /v1/aois/{id} also answers the images that cover the area.',
      'Added the request header If-Match of PATCH and DELETE: nothing is done when the resource has changed since its ETag.',
      'Added GET /v1/events, GET /v1/events/{id} and GET /v1/events/stream; rotation of webhook secrets; single deliveries with payload and attempts, and their redelivery.',
      'Added the event types change.suspected (only by its name), change.detected, change.updated, anomaly.detected, anomaly.ended, webhook.disabled and webhook.test.',
      'Added the response header X-Heights-Omitted of POST /v1/aois and POST /v1/aois/batch.',
      'Added the response header X-Read-From of lists that a replica of the database may answer.',
      'Added the response header X-Suspected-Omitted of GET /v1/changes and the change type conversion.',
      'Added the card of changes to GET /v1/models: how many confirmed changes stood, passed or were taken back, and how small a listed change can be. A rejected change has the confidence 0.',
      'Added versions to a change: what each version of the model stated about it. Added to its provenance how the samples were read, what came of older claims and moved its confidence, and the recipe of its digest.',
      'Added evidence (class, bits, basis) and score_range to the explanation of a score, and to the cards of GET /v1/models the kinds of evidence with their information.',
      'Added the audit log of an account at GET /v1/audit, its members under /v1/members, GET /v1/account (with what the caller may do), and the scopes audit:read, members:read and members:write. Signed-in people may call the interface by a session cookie.',
      'Added GET /v1/collections, GET /v1/collections/{id}/scenes, pictures of the ground before and after a change (GET /v1/changes/{id}/images, linked from events of changes as images_url), and map tiles under /v1/tiles with TileJSON: of scenes (in the colours of their metric, or in true colour), of the risk of each peril and of the layers behind it, and vector tiles of areas, changes and anomalies.',
      'Added OGC API - Features (core, GeoJSON, OpenAPI 3.0) at /ogc, with the collections areas, changes, anomalies and incidents, and OGC API - EDR 1.1 with the collection series (position query, CoverageJSON).',
      'Added the STAC API (core, collections, features, item search) at /stac: collections of images, their scenes as items, and Cloud Optimized GeoTIFFs of the samples of a scene and of the changes on its day.',
      'Added past to anomaly subscriptions, and to their anomalies and incidents in events: what had ended long before it was found is sent only where it is asked for.',
      'Added f=webp to the tiles of scenes.',
      'Added quiet_hours and digest to anomaly subscriptions: hours in which their events are not sent to webhooks, and the event incident.digest each hour or day in place of these events.',
      'Added e-mail addresses as endpoints of events: email in place of url at POST /v1/webhooks, and the status unconfirmed.',
      'Added GET /v1/feeds (followed catalogues and stations with their progress and last error) and GET /v1/layers (with the box that each covers), and reliability to the checks of GET /v1/models.',
      'Added incidents, which are anomalies and changes with a cause in common: GET /v1/incidents, GET /v1/incidents/{id}, and the event types incident.opened, incident.updated and incident.closed.',
      'Added last_observed_at to incidents: how far what they say is known.',
      'Added management of API keys and OAuth clients under /v1/keys and /v1/clients (replacing the public keys of a client included), GET /v1/usage, token revocation (POST /oauth/revoke), authorization server metadata and published keys under /.well-known.',
    ],
  },
  {
    release: 'v1.2.0',
    changes: [
      'Added POST /v1/risk/batch (up to 1,000 locations).',
      'Added webhook signature verification via X-SERVICE-Signature (HMAC SHA-256).',
    ],
  },
  {
    release: 'v1.1.0',
    changes: [
      'Added GET /v1/historical.',
      'Changed rate limit headers, adding X-RateLimit-Reset (Unix timestamp).',
    ],
  },
  { release: 'v1.0.0', changes: ['Initial release: risk, change detection and anomaly endpoints.'] },
];

/** Version of the interface, such as `1.3.0`. The software has a version of its own, in package.json. */
export const INTERFACE_VERSION = RELEASES[0].release.slice(1);
