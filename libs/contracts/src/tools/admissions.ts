import { Type } from 'typebox';
import { Admission } from '../nouns/admission.js';
import { List, Nullable, Text } from '../nouns/field.js';
import { defineTool, LIST_BYTES, type ToolSource } from './define.js';

const admission = (
  source: Pick<ToolSource, 'tool_id' | 'title' | 'summary' | 'input' | 'output' | 'side_effect_class'> &
    Partial<ToolSource>,
) =>
  defineTool({
    surface: 'operations',
    plane_id: 'zone_admin',
    served_by: 'session',
    routing_class:
      source.side_effect_class === 'none' ? 'operational_live_read' : 'operational_bounded_write',
    required_capability: source.tool_id,
    allowed_environments: ['test', 'staging', 'production'],
    rate_limit: { points: 1_200, duration_s: 60 },
    timeout_ms: 5_000,
    ...source,
  });

/** Who came in by an issuer the zone trusts, and how to put them out. */
export const ADMISSION_TOOLS = [
  admission({
    tool_id: 'operations.list_admissions',
    max_result_bytes: LIST_BYTES,
    title: 'List admissions',
    summary:
      'Operators and clients that came in by a trusted identity provider or authorization server, newest first: who, as what, until when.',
    side_effect_class: 'none',
    input: {
      status: Type.Optional(
        Type.String({
          enum: ['active', 'expired', 'revoked'],
          description: 'Only admissions in this state.',
        }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Default 50.' })),
      cursor: Type.Optional(Text(200, 'next_cursor of the page before.')),
    },
    output: { admissions: List(Admission, 200), next_cursor: Nullable(Text(200)) },
  }),
  admission({
    tool_id: 'operations.revoke_admission',
    title: 'Revoke an admission',
    summary:
      'Ends what a token or a sign-in was admitted to, now and on every replica. That token does not come in again; revoking it again changes nothing.',
    side_effect_class: 'reversible_write',
    input: {
      admission_id: Text(64, 'Id of the admission, adn_…'),
      reason: Type.Optional(Text(500, 'Why it is revoked.')),
    },
    output: { admission: Admission },
  }),
];
