import { readKeyRing } from '@adaos/runtime';
import { runService } from '@adaos/runtime/service';
import { Config } from './config.js';
import { zonalFacade } from './module.js';

void runService(zonalFacade, 'facade', Config, async (config, { log }) => ({
  deps: {
    config,
    request_state_keys: readKeyRing('REQUEST_STATE_KEY_FILE', config.REQUEST_STATE_KEY_FILE),
    on_listening: (urls) => log.info(urls, 'listening'),
  },
}));
