/** Side of a tile [pixels]. */
export const TILE_PIXELS = 256;
/**
 * Longest side of the part of a scene that one picture shows [pixels of the scene]. It bounds what is read for it: a part of
 * this size takes about a second of processor time when it is read first.
 */
export const MOST_SIDE = 2048;
