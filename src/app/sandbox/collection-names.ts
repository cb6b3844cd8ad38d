/** Simulated images of the region. */
export const SANDBOX_COLLECTION = 'simulated';
/** Simulated radar interferometry of the region. */
export const SANDBOX_MOTION = 'simulated-insar';
/**
 * Simulated moisture images. They are only served as series: changes are searched in the other indices of the same
 * scenes.
 */
export const SANDBOX_MOISTURE = 'simulated-moisture';
/** Collections that are monitored for changes. */
export const SANDBOX_MONITORED: readonly string[] = [SANDBOX_COLLECTION, SANDBOX_MOTION];
