import { readFileSync } from 'node:fs';
import { ConfigError } from '@adaos/runtime';
import type { AgentConfig } from './agent-config.js';
import { parseAgentConfig } from './read-agent-config.js';

/** Reads the hub's file from disk; see `parseAgentConfig`. Throws ConfigError, also when the file can't be read. */
export function loadAgentConfig(
  file: string,
  env: Readonly<Record<string, string | undefined>> = {},
): AgentConfig {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new ConfigError([`AGENT_CONFIG: can not read ${file}`]);
  }
  return parseAgentConfig(text, { file, env });
}
