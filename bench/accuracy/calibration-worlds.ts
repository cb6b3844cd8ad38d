import type { MetricWorld } from './calibration-region.ts';

const VEGETATION = {
  metric: 'ndvi',
  season: [0.05, 0.2],
  noise: [0.02, 0.07],
  outlier: [-0.5, -0.1],
  isRate: false,
} as const;
const WATER = {
  metric: 'mndwi',
  season: [0.02, 0.1],
  noise: [0.04, 0.1],
  outlier: [-0.2, 0.4],
  isRate: false,
} as const;
const MOTION = {
  metric: 'displacement',
  level: [-20, 20],
  season: [0, 4],
  noise: [2, 6],
  magnitude: [8, 60],
  outlier: [-25, 25],
  isRate: true,
} as const;

/**
 * Simulated worlds for each type of change. The ranges (our choice) are wide enough to cover published image stacks.
 */
export const WORLDS: readonly MetricWorld[] = [
  { ...VEGETATION, direction: -1, level: [0.45, 0.8], magnitude: [0.08, 0.45] },
  { ...VEGETATION, direction: 1, level: [0.2, 0.45], magnitude: [0.08, 0.4] },
  { ...VEGETATION, metric: 'nbr', direction: -1, level: [0.3, 0.7], magnitude: [0.15, 0.8] },
  { ...WATER, direction: 1, level: [-0.5, -0.2], magnitude: [0.2, 0.8] },
  { ...WATER, direction: -1, level: [0.1, 0.5], magnitude: [0.2, 0.8] },
  {
    metric: 'ndbi',
    direction: 1,
    level: [-0.35, -0.05],
    season: [0.03, 0.12],
    noise: [0.03, 0.07],
    magnitude: [0.08, 0.4],
    outlier: [-0.2, 0.2],
    isRate: false,
  },
  { ...MOTION, direction: -1 },
  { ...MOTION, direction: 1 },
];
