/**
 * Size of a cell in words: whole metres from 10 m on, as a grid of 20 m has cells of 20.1 m on the ground where its
 * projection stretches. @param metres on the ground
 */
export function resolutionText(metres: number): string {
  return `${metres >= 10 ? Math.round(metres) : metres} m`;
}
