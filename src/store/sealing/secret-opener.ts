import type { Sealing } from './sealing.ts';

const MAX_OPENED = 10_000; // maximum number of decrypted secrets that are cached: about 2 MB

/** Opens sealed secrets. Caches the opened secrets, which are the same for all deliveries to an endpoint. */
export function secretOpener(sealing: Sealing): (box: string) => string {
  const opened = new Map<string, string>();
  return (box) => {
    let secret = opened.get(box);
    if (secret === undefined) {
      secret = sealing.open(Buffer.from(box, 'base64'));
      if (opened.size >= MAX_OPENED) opened.delete(opened.keys().next().value!); // deletes the oldest entry
      opened.set(box, secret);
    }
    return secret;
  };
}
