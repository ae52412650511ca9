import { policy } from './module.js';

console.log(policy.name);
