import { zonalFacade } from './module.js';

console.log(zonalFacade.name);
