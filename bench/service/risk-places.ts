/** Seeded random places, roughly where people live, varied so that they use different tiles and branches. */
export function riskPlaces(count: number): { lat: number; lng: number; peril: string }[] {
  let state = 7;
  const random = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const perils = ['flood', 'storm', 'wildfire', 'subsidence'];
  const boxes = [
    [36, -10, 60, 30],
    [25, -125, 48, -70],
    [-35, -72, 5, -35],
    [8, 68, 40, 122],
    [-35, 15, 15, 45],
  ] as const;
  return Array.from({ length: count }, (_, i) => {
    const [south, west, north, east] = boxes[i % boxes.length]!;
    const round = (value: number): number => Math.round(value * 1e5) / 1e5;
    return {
      lat: round(south + (north - south) * random()),
      lng: round(west + (east - west) * random()),
      peril: perils[Math.floor(random() * perils.length)]!,
    };
  });
}
