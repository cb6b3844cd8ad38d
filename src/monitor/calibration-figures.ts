import type { ChangeCalibration } from './calibration.ts';
import type { ChangeType } from './metric.ts';

/** Written by `node bench/change-calibration.ts --write`: not by hand. */
export const CHANGE_CALIBRATIONS: Readonly<Partial<Record<ChangeType, ChangeCalibration>>> = {
  built_up: {
    levels: [
      { from: 0.4927, to: 0.7686, frequency: 0.7581, weight: 30 },
      { from: 0.769, to: 0.8927, frequency: 0.9902, weight: 50 },
    ],
    cases: 80,
    checked: 52,
    brier: 0.0258,
    miscalibration: 0.0079,
    discrimination: 0.001,
    uncertainty: 0.0189,
  },
  ground_subsidence: {
    levels: [
      { from: 0.1756, to: 0.6251, frequency: 0.9146, weight: 40 },
      { from: 0.6257, to: 0.7098, frequency: 0.9423, weight: 25 },
      { from: 0.7212, to: 0.8808, frequency: 0.9968, weight: 154 },
    ],
    cases: 219,
    checked: 144,
    brier: 0.007,
    miscalibration: 0.0005,
    discrimination: 0.0003,
    uncertainty: 0.0069,
  },
  ground_uplift: {
    levels: [{ from: 0.1597, to: 0.8979, frequency: 0.993, weight: 212 }],
    cases: 212,
    checked: 106,
    brier: 0,
    miscalibration: 0,
    discrimination: 0,
    uncertainty: 0,
  },
  vegetation_gain: {
    levels: [
      { from: 0.1332, to: 0.5672, frequency: 0.0122, weight: 40 },
      { from: 0.5748, to: 0.785, frequency: 0.4405, weight: 41 },
      { from: 0.7859, to: 0.9242, frequency: 0.9375, weight: 39 },
    ],
    cases: 120,
    checked: 243,
    brier: 0.0545,
    miscalibration: 0.0022,
    discrimination: 0.1012,
    uncertainty: 0.1535,
  },
  vegetation_loss: {
    levels: [
      { from: 0.3008, to: 0.5956, frequency: 0.0738, weight: 60 },
      { from: 0.5958, to: 0.6532, frequency: 0.1032, weight: 62 },
      { from: 0.6557, to: 0.7537, frequency: 0.3716, weight: 73 },
      { from: 0.7537, to: 0.7685, frequency: 0.4365, weight: 62 },
      { from: 0.7689, to: 0.794, frequency: 0.4452, weight: 72 },
      { from: 0.7942, to: 0.8121, frequency: 0.5, weight: 54 },
      { from: 0.8132, to: 0.892, frequency: 0.9179, weight: 66 },
    ],
    cases: 449,
    checked: 441,
    brier: 0.1711,
    miscalibration: 0.0359,
    discrimination: 0.0497,
    uncertainty: 0.1849,
  },
  water_gain: {
    levels: [
      { from: 0.6561, to: 0.7677, frequency: 0.9054, weight: 36 },
      { from: 0.7696, to: 0.8658, frequency: 0.9909, weight: 54 },
    ],
    cases: 90,
    checked: 39,
    brier: 0.0867,
    miscalibration: 0.0115,
    discrimination: 0.0168,
    uncertainty: 0.092,
  },
  water_loss: {
    levels: [{ from: 0.609, to: 0.8792, frequency: 0.9253, weight: 86 }],
    cases: 86,
    checked: 64,
    brier: 0.0853,
    miscalibration: 0.0004,
    discrimination: 0,
    uncertainty: 0.085,
  },
};
