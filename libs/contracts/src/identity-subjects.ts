import { row } from './subject-row.js';

/** Subjects of those who are known elsewhere: tokens and sign-ins of trusted issuers. Session alone serves them, facade alone asks. */
export const IDENTITY_SUBJECTS = {
  session_admit: row(
    'request',
    'mcp.v1.root.session.admit',
    ['facade'],
    ['session'],
    'a bearer of a trusted issuer → admitted or not; the one message that holds a bearer',
  ),
  session_trust: row(
    'request',
    'mcp.v1.root.session.trust',
    ['facade'],
    ['session'],
    'which issuers the zone trusts, for metadata, challenges and the sign-in page',
  ),
  session_begin_sign_in: row(
    'request',
    'mcp.v1.root.session.begin_sign_in',
    ['facade'],
    ['session'],
    'where to send a browser that signs in',
  ),
  session_finish_sign_in: row(
    'request',
    'mcp.v1.root.session.finish_sign_in',
    ['facade'],
    ['session'],
    'what the identity provider sent back → a session of the console',
  ),
  session_end_sign_in: row(
    'request',
    'mcp.v1.root.session.end_sign_in',
    ['facade'],
    ['session'],
    'sign out of the console',
  ),
} as const;
