import { STAC_ITEM_OPERATIONS } from './items.ts';
import { STAC_LANDING_OPERATIONS } from './landing.ts';

/** Every operation at `/stac`, in the order of its documentation. */
export const STAC_OPERATIONS = [...STAC_LANDING_OPERATIONS, ...STAC_ITEM_OPERATIONS] as const;
