/** The chapters of the reference, in their order. */
export const TAGS = [
  {
    name: 'Risk',
    description: 'Confidence-scored risk of a place for one of four perils, all on one scale from 0 to 1.',
  },
  {
    name: 'Areas of interest',
    description: 'The polygons you watch. Changes and anomalies are visible through your own areas only.',
  },
  { name: 'Changes', description: 'Lasting changes found in image series, with the provenance of each.' },
  {
    name: 'Anomalies',
    description: 'Departures of a feed from its expected range, in the areas you subscribed to.',
  },
  {
    name: 'Incidents',
    description: 'Anomalies and changes that have a cause in common, as one thing with a title in words.',
  },
  { name: 'Series', description: 'What was really observed at a place: gaps stay gaps.' },
  {
    name: 'Sources',
    description: 'What the answers are made from: feeds with their progress, and layers with their coverage.',
  },
  {
    name: 'Pictures',
    description:
      'Collections of images, their scenes, pictures of the ground before and after a change, and map tiles.',
  },
  {
    name: 'OGC API',
    description:
      'Areas, changes, anomalies and incidents for QGIS, GDAL and other clients of OGC API - Features, and series for clients of OGC API - EDR: the same rows, keys and limits as under /v1.',
  },
  {
    name: 'STAC',
    description:
      'Collections of images and their scenes for pystac-client, QGIS and other clients of the STAC API, with the samples and the changes as Cloud Optimized GeoTIFFs.',
  },
  {
    name: 'Sandbox',
    description:
      'A simulated region with a clock that you can move, for the credentials of the sandbox environment. Nothing in it was observed.',
  },
  { name: 'Webhooks', description: 'Addresses of yours that receive events as they happen, signed.' },
  {
    name: 'Events',
    description:
      'The same events to be fetched or listened to, for clients that nothing can reach from outside.',
  },
  { name: 'Credentials', description: 'API keys and OAuth clients of your account, and what they spent.' },
  {
    name: 'Members',
    description: 'Your account, the people in it, and what was done in it.',
  },
] as const satisfies readonly { readonly name: string; readonly description: string }[];

export type Tag = (typeof TAGS)[number]['name'];
