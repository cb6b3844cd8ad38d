export { clientCredentials, type ClientCredentialsOptions } from './client-credentials.ts';
export { GroundwatchError, type GroundwatchErrorCode } from './error.ts';
export { Groundwatch, type SuspectedOmitted } from './groundwatch.ts';
export { type AssertionKey, newProofKey, type ProofKey, type SigningKey } from './proof.ts';
export type { StreamOptions } from './event-stream.ts';
export { DEFAULT_RETRY, type RetryPolicy } from './retry.ts';
export { SignatureError, type SignatureFault, type SignedDelivery, verifySignature } from './signature.ts';
export type { CallOptions, ClientOptions, RateLimit, TokenProvider } from './transport.ts';
export type {
  Anomaly,
  AnomalyFeature,
  Aoi,
  AoiDetail,
  AreaFeature,
  AreaGeometry,
  AuditRecord,
  Change,
  ChangeFeature,
  ChangeImages,
  ChangeProvenance as Provenance,
  Collection,
  Delivery,
  DeliveryDetail,
  Event as WebhookEvent,
  Experience as ChangeExperience,
  Feed,
  Incident,
  IncidentFeature,
  Key,
  Layer,
  LayerTiles,
  Legend,
  ListedAnomalyFeature,
  ListedChangeFeature,
  ListedIncidentFeature,
  Location,
  Member,
  Models,
  OAuthClient,
  RiskTiles,
  RiskAssessment,
  RiskWatch,
  Scene,
  Station,
  Subscription,
  Webhook,
  WholeIncident,
} from './api-types.ts';
export type { ChangeStatus, ChangeType, EventType, Peril, Scope } from './operation-types.ts';
