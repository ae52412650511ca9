import { runService } from '@adaos/runtime/service';
import { Config } from './config.js';
import { descriptor } from './module.js';

void runService(descriptor, 'descriptor', Config, async (config) => ({
  deps: { build: { version: config.BUILD_VERSION, commit: config.BUILD_COMMIT } },
}));
