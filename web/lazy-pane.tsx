import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Waiting } from './parts.tsx';
import { Problem } from './problem.tsx';

/** Creates a pane whose code loads when the pane is first shown, so that the console itself starts quickly. */
export function lazyPane<P extends object>(load: () => Promise<ComponentType<P>>) {
  let pane: ComponentType<P> | undefined;
  return function LazyPane(props: P) {
    const [there, setThere] = useState(pane !== undefined);
    const [missing, setMissing] = useState(false);
    const fetchPane = async (): Promise<void> => {
      setMissing(false);
      try {
        pane = await load();
        setThere(true);
      } catch {
        setMissing(true);
      }
    };
    useEffect(() => {
      if (!there) void fetchPane();
    }, []);
    const Pane = pane;
    if (there && Pane !== undefined) return <Pane {...props} />;
    if (!missing) return <Waiting for="this page" />;
    // The file of the pane is missing if the service was upgraded while the console was open.
    const error = new Error('This page could not be loaded. Reload the console if this happens again.');
    return <Problem error={error} again={() => void fetchPane()} />;
  };
}
