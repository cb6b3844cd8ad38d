import { remoteStore } from '../../formats/zarr/remote.ts';
import type { ZarrStore } from '../../formats/zarr/store.ts';
import type { GuardedReader } from '../../net/guarded-reader.ts';
import { remoteAddress, toServiceError } from './stac-catalogue.ts';

/** Opens Zarr at an https address, or in a bucket that `s3`, `gs`, `az` or `abfs` names. @throws InvalidInput, or an error of the network */
export type OpenRemote = (href: string) => Promise<ZarrStore>;

/** Whether a path is an address of a web server or a bucket. */
export function isAddress(path: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(path);
}

/** Opens Zarr by a reader, which keeps to allowed addresses and has the credentials. */
export function remoteZarr(reader: GuardedReader): OpenRemote {
  return async (href) => {
    const address = remoteAddress(href)!;
    return remoteStore(reader, address, (error) => toServiceError(href, error));
  };
}
