import { connectRedisLimits } from '@adaos/limits/redis';
import { runService } from '@adaos/runtime/service';
import { openStore } from '@adaos/store';
import { Config } from './config.js';
import { router } from './module.js';

void runService(router, 'router', Config, async (config) => {
  const store = await openStore(config, 'router');
  const limits = await connectRedisLimits({ url: config.REDIS_URL, prefix: config.REDIS_PREFIX });
  const close = async () => {
    await limits.close();
    await store.close();
  };
  return { deps: { store, limits, heartbeat_ms: config.HEARTBEAT_MS }, close, ready: store.ready };
});
