import { readSigningKey } from '@adaos/runtime';
import { runService } from '@adaos/runtime/service';
import { Config } from './config.js';
import { policy } from './module.js';

void runService(policy, 'policy', Config, async (config) => ({
  deps: {
    policy_dir: config.POLICY_DIR,
    permit_key: readSigningKey('PERMIT_KEY_FILE', config.PERMIT_KEY_FILE),
  },
}));
