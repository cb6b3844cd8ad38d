import { UpstreamUnavailable } from '../../../base/errors.ts';

/** Size and version of a file on a server. */
export interface RemoteSize {
  /** Length [bytes]. */
  readonly bytes: number;
  /** Modification date as the server states it; null when it does not. */
  readonly modified: string | null;
}

/** A downloaded file. */
export interface Downloaded {
  readonly bytes: number;
  /** SHA-256 of the content, hex. */
  readonly sha256: string;
  /** Modification date as the server states it; null when it does not. */
  readonly modified: string | null;
}

/** The server refuses the credential of a request, or the lack of one (401, 403). */
export class AccessRefused extends UpstreamUnavailable {}

/** Downloads files to the disk. Errors never show the secret of an address. */
export interface Downloads {
  /**
   * Asks for the size of a file.
   * @returns undefined when the server does not tell the size, null when it has no such file
   * @throws UpstreamUnavailable
   */
  size(url: string): Promise<RemoteSize | undefined | null>;
  /**
   * Downloads a file in pieces. A file that was begun before is continued where the server still has the same version,
   * and begun again otherwise. A server that gives no pieces is asked for the whole.
   * @param path the finished file; while unfinished, its parts are beside it
   * @throws NotFound; UpstreamUnavailable, after which another call continues
   */
  fetch(url: string, path: string, progress: (bytes: number, total: number) => void): Promise<Downloaded>;
  /**
   * Downloads an answer that the server makes for the request, in one piece, and unpacks gzip. A finished file is not
   * asked for again.
   * @throws NotFound, UpstreamUnavailable
   */
  fetchMade(url: string, path: string): Promise<Downloaded>;
  /** The first bytes of a downloaded file. */
  head(path: string): Promise<Buffer>;
  /** The text of a downloaded file. */
  readText(path: string): Promise<string>;
  /** Writes a table that was made from downloaded files beside them. */
  writeText(path: string, text: string): Promise<void>;
  /** Deletes a file, or a folder with its files. What is not there is passed over. */
  discard(path: string): Promise<void>;
}
