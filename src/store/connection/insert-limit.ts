/** Rows of one insert: PostgreSQL takes 65,535 parameters a statement, and our widest rows have 17. */
export const ROWS_PER_INSERT = 1000;
