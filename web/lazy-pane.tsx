import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Waiting } from './parts.tsx';
import { Problem } from './problem.tsx';

/** A pane whose code loads when it is first shown, so that the console itself starts quickly. */
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
    // An upgrade of the service removes the old files while the console is open.
    const error = new Error('This page could not be loaded. Reload the console if this happens again.');
    return <Problem error={error} again={() => void fetchPane()} />;
  };
}
