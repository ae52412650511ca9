import { readSigningKey } from '@adaos/runtime';
import { runService } from '@adaos/runtime/service';
import { openStoreLater } from '@adaos/store';
import { Config } from './config.js';
import { policy } from './module.js';

void runService(policy, 'policy', Config, async (config) => {
  const store = openStoreLater(config, 'policy');
  const {
    POLICY_DIR: policy_dir,
    ZONE_POLICY_DIR: zone_policy_dir,
    POLICY_LAST_GOOD_FILE: last_good_file,
  } = config;
  const permit_key = readSigningKey('PERMIT_KEY_FILE', config.PERMIT_KEY_FILE);
  const deps = { store, prepare: store.prepare, policy_dir, zone_policy_dir, last_good_file, permit_key };
  return { deps, close: () => store.close() };
});
