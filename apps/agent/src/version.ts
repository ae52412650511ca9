/** Version of the agent process, as reported. */
export const AGENT_VERSION = '0.1.0';
/** The skill this process publishes; root decides its state. */
export const SKILL = { name: 'infra_access_skill', version: '0.1.0' } as const;
