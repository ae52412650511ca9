import { readKeyRing } from '@adaos/runtime';
import { runService } from '@adaos/runtime/service';
import { openStore } from '@adaos/store';
import { readTrust } from './admissions/trust.js';
import { Config } from './config.js';
import { session } from './module.js';

void runService(session, 'session', Config, async (config) => {
  const trust = readTrust(config);
  const store = await openStore(config, 'session');
  const hmac_keys = readKeyRing('LEASE_KEY_FILE', config.LEASE_KEY_FILE);
  const bootstrap_operator_digest = config.BOOTSTRAP_OPERATOR_SHA256 ?? null;
  const root_url = () => config.PUBLIC_URL?.replace(/\/$/, '') ?? null;
  return {
    deps: { store, hmac_keys, bootstrap_operator_digest, root_url, trust },
    close: () => store.close(),
    ready: store.ready,
  };
});
