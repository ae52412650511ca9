import { Type, type Static } from 'typebox';
import { Json, List, Nullable, OneOf, Text } from './field.js';

/** What a tool may ask its caller for on the way (MCP 2026-07-28, multi round-trip requests). */
export const INPUT_METHODS = ['elicitation/create', 'sampling/createMessage', 'roots/list'] as const;
/** What a caller can take of it. A form is what an elicitation without a mode asks for. */
export const INPUT_KINDS = ['elicitation.form', 'elicitation.url', 'sampling', 'roots'] as const;
export type InputKind = (typeof INPUT_KINDS)[number];

/** Questions of one round: more would be a questionnaire. */
const MAX_REQUESTS = 8;
/** Characters of state a tool may keep with the client between two rounds. */
const MAX_STATE = 4_096;
const State = () =>
  Nullable(Text(MAX_STATE, 'opaque to everyone but the tool; sealed on its way through the client'));

export const InputRequest = Type.Object(
  { method: OneOf(INPUT_METHODS), params: Json() },
  { additionalProperties: false },
);
export type InputRequest = Static<typeof InputRequest>;

/** A tool's questions, by keys of its own. Root executors only: a hub must not put words before a user. */
export const InputAsked = Type.Object(
  {
    requests: Type.Record(Type.String({ maxLength: 64 }), InputRequest, { maxProperties: MAX_REQUESTS }),
    state: State(),
  },
  { additionalProperties: false },
);
export type InputAsked = Static<typeof InputAsked>;

/** What a caller can be asked for, and its answers to the round before. Responses are the client's word, checked by nobody yet. */
export const InputGiven = Type.Object(
  {
    accepts: List(OneOf(INPUT_KINDS), INPUT_KINDS.length),
    responses: Type.Record(Type.String({ maxLength: 64 }), Json(), { maxProperties: 2 * MAX_REQUESTS }),
    state: State(),
  },
  { additionalProperties: false },
);
export type InputGiven = Static<typeof InputGiven>;

/** The kind of a question: what its asker must know the caller to take. */
export function inputKindOf({ method, params }: InputRequest): InputKind {
  if (method === 'sampling/createMessage') return 'sampling';
  if (method === 'roots/list') return 'roots';
  return params['mode'] === 'url' ? 'elicitation.url' : 'elicitation.form';
}
