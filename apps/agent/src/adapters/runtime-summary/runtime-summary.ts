import { readFile, statfs } from 'node:fs/promises';
import { arch, availableParallelism, freemem, loadavg, platform, release, totalmem, uptime } from 'node:os';
import { AGENT_VERSION } from '../../version.js';
import type { Adapter } from '../adapter.js';

/** hub.get_runtime_summary: the host and the agent on it, read from the kernel at the moment of the call. */
export const runtimeSummary: Adapter = {
  tool_id: 'hub.get_runtime_summary',
  adapter: 'runtime_summary',
  async run(_args, { config, data_dir, supervisor, queue, clock }) {
    const [available_bytes, disk] = await Promise.all([
      availableMemory(),
      diskOf(config.disk_path ?? data_dir),
    ]);
    return {
      output: {
        host: {
          platform: platform(),
          release: release().slice(0, 64),
          arch: arch(),
          cpus: availableParallelism(),
          load: loadavg(),
          uptime_s: Math.round(uptime()),
          memory: { total_bytes: totalmem(), available_bytes },
          disk,
        },
        agent: {
          version: AGENT_VERSION,
          pid: process.pid,
          uptime_s: Math.round(process.uptime()),
          rss_bytes: process.memoryUsage.rss(),
          node: process.version,
        },
        services: supervisor.views(),
        queue: queue(),
        at: clock.iso(),
      },
      complete: disk !== null,
    };
  },
};

/** Memory that can be had without swapping, in bytes (proc(5), MemAvailable); free memory alone leaves out the page cache. */
async function availableMemory(): Promise<number> {
  const text = await readFile('/proc/meminfo', 'latin1').catch(() => '');
  const kib = /^MemAvailable:\s+(\d+) kB$/m.exec(text)?.[1];
  return kib === undefined ? freemem() : Number(kib) * 1024;
}

/** Null when the path is not there: a missing figure is said, not guessed. */
async function diskOf(path: string): Promise<{ total_bytes: number; free_bytes: number } | null> {
  const disk = await statfs(path).catch(() => null);
  return disk && { total_bytes: disk.blocks * disk.bsize, free_bytes: disk.bavail * disk.bsize };
}
