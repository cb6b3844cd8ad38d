// Exports of the kernel. Only src/change/kernel/ calls it.
export { configure } from './workspace';
export { factorise, fitListed, fitPixels, setFit } from './fit';
export { setState } from './state';
export { setStatistics } from './statistics';
export { updateScene } from './update';
export { factors } from './solve';
export { nearest } from './nearest';
export { setWatch, trackBytes } from './watch-record';
export { watch } from './watch';
