/** Lives on offer for a lease, in seconds. The zone takes any from a minute to thirty days. */
export const TTL_CHOICES: readonly number[] = [1_800, 3_600, 14_400, 28_800, 86_400, 604_800, 2_592_000];
/** What the zone would take by itself. */
export const TTL_DEFAULT = 14_400;
