import { MAD_TO_SIGMA } from '../../numerics/median.ts';
import { PARAMETERS } from '../parameters.ts';
import { REC_CUSUM_CRITICAL } from '../statistics/cusum.ts';
import * as evidence from '../pixel/evidence.ts';
import { ROUNDING_STEPS } from '../pixel/interpolation.ts';

/**
 * Limits by which the kernel watches a pixel, in the order of `Rule` in assembly/kernel/watch-record.ts.
 * @param areShowing whether several metrics may show a fall of a season
 */
export function ruleNumbers(areShowing: boolean): Float64Array {
  const p = PARAMETERS;
  return Float64Array.of(
    p.minHarmonicObservations,
    p.refitGrowth,
    p.maxHistoryMs,
    p.minHarmonicSpanMs,
    p.minHarmonicHistoryMs,
    p.minTrendSpanMs,
    p.observationsPerCoefficient,
    p.maxHarmonics,
    p.rejectBeyond * MAD_TO_SIGMA,
    p.rejectRounds,
    REC_CUSUM_CRITICAL,
    p.sufficientHistoryMs,
    p.youngFitFloors,
    p.fullHistoryMs,
    p.maxSpreadRatio,
    MAD_TO_SIGMA,
    p.rejectBeyond,
    p.rhoPriorPairs,
    p.rhoPrior,
    p.rhoMax,
    p.scalePrior,
    p.clip,
    p.outlierSigmas,
    p.steadyFloors,
    p.beyondFloors,
    2 * p.seasonHalfWidthMs,
    p.minSeasonObservations,
    p.perennialShare,
    p.minLikeHistory,
    p.minLikeHistoryMs,
    p.relistGrowth,
    p.likeRefit,
    p.minLikeShared,
    p.oddFloors,
    p.dormantShare,
    p.highQuantile,
    p.likePriorFloors,
    p.likeLeastFloors,
    p.cusumClip,
    p.cusumSlack,
    p.suspectCusum,
    // The kernel stops where any evidence beside like pixels may begin.
    Math.min(p.plainCusum, p.risenCusum, p.suspectCusum),
    p.recoveryWindowMs,
    p.ewmaWeight,
    p.shiftSigmas.harmonic,
    evidence.MAX_STEP,
    evidence.MIN_STEP,
    evidence.PRIOR_LOG_ODDS,
    evidence.SPENT_LOG_ODDS,
    evidence.CAP_LOG_ODDS,
    evidence.FLAG_LOG_ODDS,
    evidence.CONFIRM_LOG_ODDS,
    p.flagRun.other,
    p.restartAgainst,
    p.indexCorrelation,
    p.maxGapMs,
    p.likeClasses,
    ROUNDING_STEPS,
    p.quickScenes,
    p.shiftSigmas.neighbourhood,
    Math.min(p.flagRun.comparable, p.flagRun.other),
    p.minHistory,
    p.plainFloors,
    p.seasonalSlack,
    p.seasonalCusum,
    p.seasonalLooks,
    p.seasonalAfterMs,
    areShowing ? p.seasonFloors : Number.POSITIVE_INFINITY,
  );
}
