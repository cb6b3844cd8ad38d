/** Colours of the map. */
export interface Palette {
  readonly sea: string;
  readonly land: string;
  readonly border: string;
  readonly graticule: string;
  readonly paper: string;
  readonly area: string;
  readonly draft: string;
  readonly place: string;
  readonly loss: string;
  readonly burn: string;
  readonly gain: string;
  readonly conversion: string;
  readonly water: string;
  readonly builtUp: string;
  readonly ground: string;
  readonly other: string;
}

// Colours of the types of change. Colour-blind people can distinguish them: Okabe & Ito (2008), "Color Universal
// Design".
const KINDS = {
  loss: '#d55e00',
  burn: '#b3261e',
  gain: '#009e73',
  conversion: '#b59b00',
  water: '#0072b2',
  builtUp: '#9a4fb0',
  ground: '#a6761d',
  other: '#6b7280',
};

export const LIGHT: Palette = {
  ...KINDS,
  sea: '#dfe9ef',
  land: '#f8f7f3',
  border: '#c3ccd4',
  graticule: '#c9d5dc',
  paper: '#ffffff',
  area: '#0f766e',
  draft: '#0b5f8a',
  place: '#1b2430',
};

export const DARK: Palette = {
  ...KINDS,
  loss: '#f28e3c',
  burn: '#f2665c',
  gain: '#3cc79c',
  conversion: '#f0e442',
  water: '#56b4e9',
  builtUp: '#c792dc',
  sea: '#0d151c',
  land: '#1a232c',
  border: '#33414e',
  graticule: '#243240',
  paper: '#11171d',
  area: '#4fd1c0',
  draft: '#74c2ec',
  place: '#f2f5f8',
};
