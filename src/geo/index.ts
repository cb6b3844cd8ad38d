// groundwatch/geo: areas on the ellipsoid, across the antimeridian and round the poles, for any program.
export type { Bbox } from './bbox.ts';
export type { Position } from './position.ts';
export type { AreaGeometry, Ring } from './polygon.ts';
export { type AreaProblem, type AreaValidation, validateArea } from './area-validation.ts';
export { geodesicAreaM2 } from './area.ts';
export { simplifyArea } from './simplify.ts';
