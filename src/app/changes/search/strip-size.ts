/**
 * Number of pixels in a strip. A strip with 110 scenes takes 1.8 MB, and strips are small enough for all threads to
 * finish a pass at about the same time. The saved state of a stack has one part per strip.
 */
export const STRIP_PIXELS = 4096;
