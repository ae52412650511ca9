import { session } from './module.js';

console.log(session.name);
