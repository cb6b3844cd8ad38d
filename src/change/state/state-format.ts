/** Bytes before each record: twice its length in bytes, plus 1 if it is at rest. */
export const RECORD_BYTES = 4;
/** A byte of a natural number has seven of its bits, the lowest first, and `MORE` when another byte follows. */
export const BITS_OF_BYTE = 0x7f;
export const MORE = 0x80;
