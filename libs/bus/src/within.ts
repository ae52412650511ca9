/** Waits for `work`, at most `ms`; true when it ended in time, however it ended. A stop must end even when a peer doesn't answer. */
export async function within(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const bound = new Promise<boolean>((resolve) => (timer = setTimeout(resolve, ms, false)));
  const ended = work.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([ended, bound]);
  } finally {
    clearTimeout(timer);
  }
}
