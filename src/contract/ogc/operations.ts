import { OGC_FEATURE_OPERATIONS } from './features.ts';
import { OGC_LANDING_OPERATIONS } from './landing.ts';
import { getOgcPosition } from './position.ts';

/** Every operation at `/ogc`, in the order of its documentation. */
export const OGC_OPERATIONS = [...OGC_LANDING_OPERATIONS, ...OGC_FEATURE_OPERATIONS, getOgcPosition] as const;
