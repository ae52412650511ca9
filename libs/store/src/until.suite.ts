/** Polls until `condition` holds; fails after five seconds. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  for (const give_up_at = Date.now() + 5_000; !(await condition());) {
    if (Date.now() > give_up_at) throw new Error('the condition did not come true within 5 s');
  }
}
