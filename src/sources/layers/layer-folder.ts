import { join } from 'node:path';
import type { LayerCard } from '../../app/risk/layer-reader.ts';
import { cardKey } from './layer-catalogue.ts';

/** Paths in the folder of the layers. */
export interface LayerFolder {
  /** Path of the user's catalogue. */
  readonly catalogue: string;
  /** Folder of the band files from which installed layers are served. */
  readonly files: string;
  /** Path of the band file from which a shipped layer is served. */
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
