/** Waits in tests until something is so; fails after `within_ms` with what was still seen. */
export async function until<T>(look: () => T | Promise<T>, within_ms = 10_000): Promise<NonNullable<T>> {
  const deadline = performance.now() + within_ms;
  for (;;) {
    const seen = await look();
    if (seen) return seen as NonNullable<T>;
    if (performance.now() >= deadline) throw new Error(`not so after ${within_ms} ms: ${String(look)}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
