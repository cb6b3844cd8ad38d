// Exports of `groundwatch/geo`: areas on the ellipsoid, also across the antimeridian and round the poles.
export { type Bbox, bboxOf } from './bbox.ts';
export { PreparedArea, prepareArea } from './prepared-area.ts';
export type { Position } from './position.ts';
export type { AreaGeometry, Ring } from './polygon.ts';
export { type AreaProblem, type AreaValidation, validateArea } from './area-validation.ts';
export { geodesicAreaM2 } from './area.ts';
export { simplifyArea } from './simplify.ts';
