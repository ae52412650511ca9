import { descriptor } from './module.js';

console.log(descriptor.name);
