import { readHmacKey } from '@adaos/runtime';
import { runService } from '@adaos/runtime/service';
import { openStore } from '@adaos/store';
import { Config } from './config.js';
import { session } from './module.js';

void runService(session, 'session', Config, async (config) => {
  const store = await openStore(config, 'session');
  const hmac_key = readHmacKey('LEASE_KEY_FILE', config.LEASE_KEY_FILE);
  const bootstrap_operator_digest = config.BOOTSTRAP_OPERATOR_SHA256 ?? null;
  return {
    deps: { store, hmac_key, bootstrap_operator_digest },
    close: () => store.close(),
    ready: store.ready,
  };
});
