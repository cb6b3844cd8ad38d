import type { AccuracySet } from './figure.ts';
import { BFAST_SERIES } from './sets/bfast-series.ts';
import { CONVERSIONS, CONVERSIONS_REPORT } from './sets/conversions.ts';
import { DIST_ALERT } from './sets/dist-alert.ts';
import { FARMLAND_YEAR } from './sets/farmland-year.ts';
import { FLUXNET } from './sets/fluxnet.ts';
import { HARMLESS } from './sets/harmless.ts';
import { LANDSAT_CCDC } from './sets/landsat-ccdc.ts';
import { MATO_GROSSO_SAMPLES, MATO_GROSSO_STACK } from './sets/mato-grosso.ts';
import { MATO_GROSSO_CONVERSION } from './sets/mato-grosso-conversion.ts';
import { NOISE } from './sets/noise.ts';
import { PARA } from './sets/para.ts';
import { PASSING } from './sets/passing.ts';
import { PLANTED } from './sets/planted.ts';
import { PORTUGAL } from './sets/portugal.ts';
import { RELIABILITY } from './sets/reliability.ts';
import { RONDONIA_BOUND } from './sets/rondonia-bound.ts';
import { RONDONIA } from './sets/rondonia.ts';
import { SANDBOX } from './sets/sandbox.ts';
import { SEN1FLOODS11 } from './sets/sen1floods11.ts';
import { SINOP } from './sets/sinop.ts';
import { SLOVENIA } from './sets/slovenia.ts';
import { TURA } from './sets/tura.ts';

/** Data sets that are kept outside the repository and may be absent. */
export const LABELLED_SETS: readonly AccuracySet[] = [
  DIST_ALERT,
  LANDSAT_CCDC,
  TURA,
  SLOVENIA,
  FLUXNET,
  RONDONIA,
  RONDONIA_BOUND,
  MATO_GROSSO_SAMPLES,
  MATO_GROSSO_STACK,
  MATO_GROSSO_CONVERSION,
  PARA,
  CONVERSIONS,
  CONVERSIONS_REPORT,
  HARMLESS,
  PASSING,
  FARMLAND_YEAR,
  RELIABILITY,
  BFAST_SERIES,
  SINOP,
  SEN1FLOODS11,
  PORTUGAL,
];

/** Simulated regions. */
export const SIMULATED_SETS: readonly AccuracySet[] = [NOISE, PLANTED, SANDBOX];
