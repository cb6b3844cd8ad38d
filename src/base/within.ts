/** Returns the result of `work`, or `late` if there is none after `ms`. @throws what the work throws in time */
export async function within<T, L>(ms: number, work: Promise<T>, late: L): Promise<T | L> {
  const { promise, resolve } = Promise.withResolvers<L>();
  const timer = setTimeout(() => resolve(late), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
