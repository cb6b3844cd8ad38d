import type { ChangeCalibration } from './calibration.ts';
import type { ChangeType } from './metric.ts';

/** Written by `node bench/change-calibration.ts --write`: not by hand. */
export const CHANGE_CALIBRATIONS: Readonly<Partial<Record<ChangeType, ChangeCalibration>>> = {
  built_up: {
    levels: [
      { from: 0.3024, to: 0.803, frequency: 0.803, weight: 32 },
      { from: 0.8031, to: 0.9095, frequency: 0.9886, weight: 43 },
    ],
    cases: 75,
    checked: 48,
    brier: 0.0108,
    miscalibration: 0.0108,
    discrimination: 0,
    uncertainty: 0,
  },
  burn: {
    levels: [{ from: 0.5643, to: 0.8587, frequency: 0.9194, weight: 30 }],
    cases: 30,
    checked: 13,
    brier: 0.1355,
    miscalibration: 0.0054,
    discrimination: 0,
    uncertainty: 0.1302,
  },
  ground_subsidence: {
    levels: [
      { from: 0.0878, to: 0.7638, frequency: 0.9052, weight: 57 },
      { from: 0.7658, to: 0.9057, frequency: 0.9957, weight: 114 },
    ],
    cases: 171,
    checked: 119,
    brier: 0.01,
    miscalibration: 0.0018,
    discrimination: 0.0001,
    uncertainty: 0.0083,
  },
  ground_uplift: {
    levels: [{ from: 0.0871, to: 0.9128, frequency: 0.9844, weight: 159 }],
    cases: 159,
    checked: 79,
    brier: 0.0002,
    miscalibration: 0.0002,
    discrimination: 0,
    uncertainty: 0,
  },
  vegetation_gain: {
    levels: [
      { from: 0.2184, to: 0.7391, frequency: 0.6379, weight: 28 },
      { from: 0.7624, to: 0.9242, frequency: 0.9906, weight: 52 },
    ],
    cases: 80,
    checked: 50,
    brier: 0.0437,
    miscalibration: 0.0071,
    discrimination: 0.0017,
    uncertainty: 0.0384,
  },
  vegetation_loss: {
    levels: [
      { from: 0.2697, to: 0.801, frequency: 0.8099, weight: 70 },
      { from: 0.8011, to: 0.8264, frequency: 0.9712, weight: 51 },
      { from: 0.8269, to: 0.8948, frequency: 0.9922, weight: 63 },
    ],
    cases: 184,
    checked: 121,
    brier: 0.0903,
    miscalibration: 0.0014,
    discrimination: 0.007,
    uncertainty: 0.0959,
  },
  water_gain: {
    levels: [{ from: 0.2344, to: 0.8771, frequency: 0.974, weight: 95 }],
    cases: 95,
    checked: 44,
    brier: 0.0869,
    miscalibration: 0.0042,
    discrimination: 0,
    uncertainty: 0.0826,
  },
  water_loss: {
    levels: [{ from: 0.2993, to: 0.8987, frequency: 0.9261, weight: 87 }],
    cases: 87,
    checked: 59,
    brier: 0.0488,
    miscalibration: 0.0005,
    discrimination: 0,
    uncertainty: 0.0483,
  },
};
