/** Name of the collection of the region's simulated images. */
export const SANDBOX_COLLECTION = 'simulated';
/** Name of the collection of the region's simulated radar interferometry. */
export const SANDBOX_MOTION = 'simulated-insar';
/**
 * Name of the collection of the region's simulated moisture images. They are only served as series. Changes are
 * detected from the other indices of the same scenes.
 */
export const SANDBOX_MOISTURE = 'simulated-moisture';
/** Names of the collections that are monitored for changes. */
export const SANDBOX_MONITORED: readonly string[] = [SANDBOX_COLLECTION, SANDBOX_MOTION];
