import { join } from 'node:path';
import type { LayerCard } from '../../app/risk/layer-reader.ts';
import { cardKey } from './layer-catalogue.ts';

/** Where the parts of the layers' folder are. */
export interface LayerFolder {
  /** The user's catalogue. */
  readonly catalogue: string;
  /** Serving form of what the user installed. */
  readonly files: string;
  /** Serving form of a band that ships. */
  readonly shipped: (card: LayerCard) => string;
}

/** @param folder the layers' folder */
export function layerFolder(folder: string): LayerFolder {
  return {
    catalogue: join(folder, 'catalogue.json'),
    files: join(folder, 'files'),
    shipped: (card) => join(folder, ...cardKey(card).split('/'), 'band.gwl'),
  };
}
