/** Every peril, in the order of the API. */
export { PERILS } from '../../src/contract/vocabulary.ts';
