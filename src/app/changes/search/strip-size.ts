/**
 * Pixels in a strip: 1.8 MB with 110 scenes, and enough strips for all threads to finish a pass at about the same
 * time. The saved state of a stack has one part per strip.
 */
export const STRIP_PIXELS = 4096;
