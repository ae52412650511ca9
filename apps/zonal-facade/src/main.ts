import { runService } from '@adaos/runtime/service';
import { Config } from './config.js';
import { zonalFacade } from './module.js';

void runService(zonalFacade, 'facade', Config, async (config, { log }) => ({
  deps: { config, on_listening: (urls) => log.info(urls, 'listening') },
}));
