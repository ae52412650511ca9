import { audit } from './module.js';

console.log(audit.name);
