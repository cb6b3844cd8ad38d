import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * Place of the map on a narrow screen: below the title and the summary of a page that has one. The map itself stays in
 * its element beside the pane, so that it is not drawn anew for each page; without a gap it lies above the pane.
 */
export function MapGap() {
  const gap = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const workspace = gap.current?.closest<HTMLElement>('.workspace');
    const map = workspace?.querySelector<HTMLElement>('.map');
    const pane = gap.current?.parentElement;
    if (!workspace || !map || !pane) return undefined;
    const place = (): void => {
      workspace.style.setProperty('--map-height', `${map.offsetHeight}px`);
      workspace.style.setProperty('--map-top', `${gap.current?.offsetTop ?? 0}px`);
    };
    const observer = new ResizeObserver(place);
    // Whatever loads above the gap makes the pane higher.
    for (const one of [map, pane]) observer.observe(one);
    place();
    return () => observer.disconnect();
  }, []);
  return <div ref={gap} class="map-gap" />;
}
