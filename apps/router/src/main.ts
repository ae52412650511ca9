import { router } from './module.js';

console.log(router.name);
