/** Simulated images of the region. */
export const SANDBOX_COLLECTION = 'simulated';
/** Simulated radar interferometry of the region. */
export const SANDBOX_MOTION = 'simulated-insar';
/** Simulated moisture images, which are served as series only: changes are looked for in the other indices of the same scenes. */
export const SANDBOX_MOISTURE = 'simulated-moisture';
/** Collections that changes are looked for in. */
export const SANDBOX_MONITORED: readonly string[] = [SANDBOX_COLLECTION, SANDBOX_MOTION];
