import { join } from 'node:path';
import type { Clock, Log } from '@adaos/runtime';
import type { AgentConfig } from '../agent-config.js';
import { OutputFile } from './output-file.js';
import { endLeftovers } from './pid-file.js';
import { Service, type ServiceDeps } from './service.js';
import type { ServiceView } from './service-state.js';

export interface SupervisorDeps {
  readonly config: Pick<AgentConfig, 'services' | 'limits'>;
  readonly data_dir: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly isReady: ServiceDeps['isReady'];
}

/** Where the captured output of a service stands. */
export const serviceLogPath = (data_dir: string, service: string) => join(data_dir, 'logs', `${service}.log`);

/** Runs the configured services and nothing else. */
export class Supervisor {
  readonly #services: ReadonlyMap<string, Service>;
  readonly #listeners = new Set<() => void>();
  readonly #run_dir: string;

  constructor(readonly deps: SupervisorDeps) {
    const { config, data_dir, clock, log, isReady } = deps;
    const run_dir = join(data_dir, 'run');
    const changed = () => {
      for (const listener of [...this.#listeners]) listener();
    };
    this.#run_dir = run_dir;
    this.#services = new Map(
      config.services.map((service) => {
        const output = new OutputFile(
          serviceLogPath(data_dir, service.name),
          config.limits.log_file_bytes,
          log,
        );
        return [service.name, new Service(service, { clock, log, run_dir, output, isReady, changed })];
      }),
    );
  }

  /** Ends what a killed agent left, then starts every service. A service that fails to start is shown as such and stops nobody. */
  async start(): Promise<void> {
    await endLeftovers(this.#run_dir, this.deps.log);
    for (const service of this.#services.values()) {
      await service.deps.output.open();
      void service.start();
    }
  }

  /** All services, in the order of the configuration. */
  views(): ServiceView[] {
    return [...this.#services.values()].map((service) => service.view());
  }

  /** A configured service, or undefined: the names of the file are the allowlist. */
  find(name: string): Service | undefined {
    return this.#services.get(name);
  }

  /** Calls `listener` after each change of any service; returns how to stop that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Ends all services at once, each within its own bound. */
  async stop(): Promise<void> {
    const results = await Promise.allSettled([...this.#services.values()].map((service) => service.close()));
    for (const result of results)
      if (result.status === 'rejected')
        this.deps.log.error({ err: result.reason as unknown }, 'a service did not stop');
  }
}
