/**
 * Size of the header of a record [bytes]. The header contains twice the length of the record in bytes (including
 * the header), plus 1 if the record is at rest.
 */
export const RECORD_BYTES = 4;
/** Natural numbers are stored seven bits per byte, lowest bits first. `MORE` is set if another byte follows. */
export const BITS_OF_BYTE = 0x7f;
export const MORE = 0x80;
