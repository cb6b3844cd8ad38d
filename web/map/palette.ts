/** Colours of the map. */
export interface Palette {
  readonly sea: string;
  readonly land: string;
  readonly coast: string;
  /** Opacity of the relief [0-1]. */
  readonly relief: number;
  readonly river: string;
  readonly border: string;
  readonly region: string;
  readonly town: string;
  readonly country: string;
  readonly halo: string;
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
  sea: '#cfe1ec',
  land: '#f5f3ec',
  coast: '#8fb2c6',
  relief: 1,
  river: '#9dc3da',
  border: '#9a8fa5',
  region: '#c9c3cd',
  town: '#333c49',
  country: '#5d5470',
  halo: '#ffffff',
  graticule: '#bdd0dc',
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
  sea: '#0c1820',
  land: '#1d262e',
  coast: '#3b5364',
  relief: 0.45,
  river: '#2c4b60',
  border: '#6a6178',
  region: '#3c4450',
  town: '#d5dce4',
  country: '#a79fba',
  halo: '#11171d',
  graticule: '#1d2c38',
  paper: '#11171d',
  area: '#4fd1c0',
  draft: '#74c2ec',
  place: '#f2f5f8',
};
