export { mergeRedactions } from './mask.js';
export { redact } from './redact-schema.js';
export { redactText } from './redact-text.js';
export { redactValue } from './redact-value.js';
export { RULES, type Rule } from './rules.js';
export { secretKind, type SecretKind } from './secret-names.js';
export { OBLIGED_RULES } from './obliged.js';
