import { runService } from '@adaos/runtime/service';
import { openStore } from '@adaos/store';
import { Config } from './config.js';
import { audit } from './module.js';

void runService(audit, 'audit', Config, async (config) => {
  const store = await openStore(config, 'audit');
  return { deps: { store }, close: () => store.close(), ready: store.ready };
});
