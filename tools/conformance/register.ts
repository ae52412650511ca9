// Imported before any service: they read the registries when they are loaded.
import { registerPlane } from '@adaos/contracts';
import { CONFORMANCE } from './contracts.js';

registerPlane(CONFORMANCE);
