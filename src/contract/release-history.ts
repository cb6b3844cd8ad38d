/** One release of the interface and what it added or changed. */
export interface Release {
  readonly release: string;
  readonly changes: readonly string[];
}

/** Every release of the interface, newest first. */
export const RELEASES: readonly Release[] = [
  {
    release: 'v1.3.0',
    changes: [
      'Added areas of interest: create, list, read, rename and delete under /v1/aois.',
      'Added listing and management of anomaly subscriptions and of webhooks, test events and delivery logs.',
      'Added GET /v1/anomalies/{id}, GET /v1/models and GET /v1/metrics.',
      'Added the optional parameters explain, limit, cursor, published_since, status and f, and the media type application/geo+json.',
      'Added cursor paging, Idempotency-Key, and the RateLimit and RateLimit-Policy headers beside the X-RateLimit ones.',
      'Added the event types change.detected, change.updated, anomaly.detected, anomaly.ended and webhook.test.',
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
