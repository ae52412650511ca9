export { permitVerifier, signPermit, type PermitClaims, type PermitUse } from './permit.js';
