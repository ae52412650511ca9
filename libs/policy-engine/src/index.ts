export {
  asFacts,
  caseFacts,
  caseTable,
  MAX_CASES,
  outcomeOf,
  PolicyCase,
  runCases,
  type CaseOutcome,
  type CaseResult,
} from './cases.js';
export { compilePolicySet, type PolicySet, type PolicySources } from './compile.js';
export { createDecider, memoKey, type Decide, type Verdict } from './decide.js';
export {
  CHANGES,
  changeOf,
  comparePolicies,
  verdictWord,
  type Change,
  type ChangeGroup,
  type Comparison,
} from './diff.js';
export { factLines } from './explain.js';
export { faultText, PolicyLoadError, type PolicyFault } from './fault.js';
export { obligationsText, readObligations } from './obligations.js';
export { readGuards, readPolicyFiles } from './policy-dir.js';
export type { PolicyFile } from './policy-text.js';
export { NEEDS, ZONE_CODES, type Origin, type Rule } from './rule.js';
export { sampleFacts, type Who } from './sample-facts.js';
