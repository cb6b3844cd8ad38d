/** Encrypts and decrypts secrets in the database. */
export interface Sealing {
  seal(plain: string): Buffer;
  open(box: Buffer): string;
}
