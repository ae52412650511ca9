import type { Adapter } from './adapter.js';
import { healthchecks } from './healthchecks/healthchecks.js';
import { logs } from './logs/logs.js';
import { restartService } from './restart-service/restart-service.js';
import { runtimeSummary } from './runtime-summary/runtime-summary.js';
import { status } from './status/status.js';

/** Everything this build can do on a hub. A tool without a row here does not exist on the hub, whatever root asks for. */
export const ADAPTERS: readonly Adapter[] = [status, runtimeSummary, logs, healthchecks, restartService];

const BY_TOOL = new Map(ADAPTERS.map((adapter) => [adapter.tool_id, adapter]));

/** The adapter of a tool id, or undefined. Published MCP names are not accepted: root sends ids. */
export const adapterOf = (tool_id: string): Adapter | undefined => BY_TOOL.get(tool_id);
