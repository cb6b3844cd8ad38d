import { bitField, field, setBits } from './view.ts';
import type { QualityEncoding } from './view.ts';

const CLOUDY = 1; // cloud state: 0 clear, 1 cloudy, 2 mixed, 3 not set and assumed clear
const MIXED = 2;
const HIGH = 3; // cirrus: 0 none, 1 small, 2 average, 3 high
const FILL = 65_535;

/** State bits of the MODIS and VIIRS surface reflectance products (MOD09, VNP09 and related). */
export const modisReflectanceState: QualityEncoding = {
  meaning: 'MODIS and VIIRS surface reflectance state (sur_refl_state, state_1km, SurfReflect_State)',
  source:
    'Vermote, Roger & Ray 2015, MODIS Surface Reflectance User Guide (Collection 6), table 13; VIIRS Surface Reflectance User Guide has the same bits',
  bits: 16,
  view: (value) => {
    if (value === FILL) return 'fill';
    const cloud = bitField(value, 0, 2);
    // Bit 10 is the cloud flag of the reflectance algorithm itself.
    if (cloud === CLOUDY || cloud === MIXED || bitField(value, 10) === 1) return 'cloud';
    if (bitField(value, 8, 2) === HIGH) return 'cloud';
    if (bitField(value, 2) === 1) return 'shadow';
    // Bit 12 is the snow flag of the cloud mask, bit 15 that of the reflectance algorithm.
    if (bitField(value, 12) === 1 || bitField(value, 15) === 1) return 'snow';
    const surface = bitField(value, 3, 3); // 1 is land, 2 coast; the others are kinds of water
    return surface === 1 || surface === 2 ? 'clear' : 'water';
  },
  masked: [field(0, 2, CLOUDY, MIXED), field(8, 2, HIGH), ...setBits(2, 10, 12, 15)],
};
