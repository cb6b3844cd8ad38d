/** Collects functions that close resources. `close` calls each of them once, in reverse order. */
export function closeList() {
  const closers: (() => Promise<void>)[] = [];
  return {
    onClose: (close: () => Promise<void>): void => void closers.push(close),
    close: async (): Promise<void> => {
      for (const closer of closers.splice(0).toReversed()) await closer();
    },
  };
}
