import { connectRedisLimits } from '@adaos/limits/redis';
import { runService } from '@adaos/runtime/service';
import { openStore } from '@adaos/store';
import { Config, keyPrefix, limitsIn } from './config.js';
import { router } from './module.js';

void runService(router, 'router', Config, async (config, { zone }) => {
  const store = await openStore(config, 'router');
  const limits = await connectRedisLimits({ url: config.REDIS_URL, prefix: keyPrefix(config, zone) });
  const close = async () => {
    await limits.close();
    await store.close();
  };
  return { deps: { store, limits, ...limitsIn(config) }, close, ready: store.ready };
});
