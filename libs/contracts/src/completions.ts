/** Where the values of a variable come from: a tool the caller may call, and the members of its result that hold them. */
export interface CompletionSource {
  readonly tool_id: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** Paths into the result; `*` is every entry of a list. */
  readonly values: readonly string[];
}

const OWN_TARGET = ['operations.get_managed_target', 'hub.get_operational_surface'] as const;
const ofTarget = (...values: string[]): readonly CompletionSource[] =>
  OWN_TARGET.map((tool_id) => ({ tool_id, values }));

/**
 * Arguments and variables that can be completed. The first source whose tool the caller lists answers, by a governed call, so that
 * nobody is offered a value it could not have read. A path that is not there gives nothing.
 */
export const COMPLETIONS: Record<string, readonly CompletionSource[]> = {
  target_id: [
    {
      tool_id: 'operations.list_managed_targets',
      arguments: { limit: 200 },
      values: ['targets.*.target_id'],
    },
    { tool_id: 'hub.get_operational_surface', values: ['target.target_id'] },
  ],
  service: ofTarget('target.policy.allowed_services.*', 'target.reported.services.*.name'),
  ref: ofTarget('target.policy.allowed_refs.*'),
  suite: ofTarget('target.policy.allowed_test_suites.*'),
  descriptor_id: [{ tool_id: 'adaos_dev.list_descriptors', values: ['descriptors.*.descriptor_id'] }],
  tool_id: [{ tool_id: 'adaos_dev.list_contracts', values: ['contracts.*.tool_id'] }],
  event_id: [
    {
      tool_id: 'operations.list_recent_events',
      arguments: { limit: 200 },
      values: ['events.*.event_id'],
    },
  ],
};
