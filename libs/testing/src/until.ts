/** Waits until `probe` answers something other than undefined. Its deadline is the only real time in a test. */
export async function until<T>(
  what: string,
  probe: () => Promise<T | undefined> | T | undefined,
  timeout_ms = 5_000,
): Promise<T> {
  const deadline = Date.now() + timeout_ms;
  for (;;) {
    const found = await Promise.resolve(probe());
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`waited ${timeout_ms} ms for ${what}`);
    await new Promise((done) => setTimeout(done, 5));
  }
}
