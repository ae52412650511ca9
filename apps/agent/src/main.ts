import { agent } from './module.js';

console.log(agent.name);
