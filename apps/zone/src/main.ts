import { runZone } from './run-zone.js';

void runZone(process.env);
