/** Maximum number of rows per insert: PostgreSQL allows 65,535 parameters per statement, our widest rows have 17. */
export const ROWS_PER_INSERT = 1000;
