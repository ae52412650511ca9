import { defineTool, Json, List, type FurtherPlane, type Prompt, type ResourceKind } from '@adaos/contracts';
import { Type, type TProperties } from 'typebox';

/**
 * The test-only plane that the official MCP conformance suite looks for: the suite calls fixtures by name. It goes through the same registries,
 * decisions, limits and record as every other plane, and is part of no program that is deployed.
 */
const CAPABILITY = 'conformance.use';

/** `test.simple_text` is published as `test_simple_text`, the name the suite calls. */
const tool = (name: string, title: string, input: TProperties = {}) =>
  defineTool({
    tool_id: `test.${name}`,
    title,
    summary: `${title}. A fixture of the MCP conformance suite.`,
    surface: 'development',
    plane_id: 'conformance',
    served_by: 'descriptor',
    side_effect_class: 'none',
    routing_class: 'descriptive_cached_read',
    required_capability: CAPABILITY,
    presentation: 'native',
    stability: 'internal',
    timeout_ms: 5_000,
    input,
    output: { content: List(Json()) },
  });

const text = (description: string) => Type.String({ maxLength: 1_000, description });

const TOOLS = [
  tool('simple_text', 'Answers a text'),
  tool('image_content', 'Answers an image'),
  tool('audio_content', 'Answers a sound'),
  tool('embedded_resource', 'Answers an embedded resource'),
  tool('multiple_content_types', 'Answers text, image and resource'),
  tool('error_handling', 'Fails'),
  tool('tool_with_progress', 'Reports progress'),
  tool('tool_with_logging', 'Says what it does'),
  tool('logging_tool', 'Says one thing'),
  tool('sampling', 'Asks the client’s model', { prompt: text('What to ask.') }),
  tool('elicitation', 'Asks the user', { message: text('What to say to the user.') }),
  tool('elicitation_sep1034_defaults', 'Asks with default values'),
  tool('elicitation_sep1330_enums', 'Asks to choose'),
  tool('missing_capability', 'Needs sampling'),
  tool('streaming_elicitation', 'Asks the user on a stream'),
  tool('trigger_tool_change', 'Changes what is listed'),
  tool('trigger_prompt_change', 'Changes what is listed'),
  tool('input_required_result_elicitation', 'Asks for a name'),
  tool('input_required_result_sampling', 'Asks the client’s model'),
  tool('input_required_result_list_roots', 'Asks for roots'),
  tool('input_required_result_request_state', 'Asks and keeps a state'),
  tool('input_required_result_multiple_inputs', 'Asks three things'),
  tool('input_required_result_multi_round', 'Asks twice'),
  tool('input_required_result_capabilities', 'Asks what the client can take'),
  tool('input_required_result_tampered_state', 'Asks and keeps a sealed state'),
  tool('read_resource', 'Reads a resource of the suite', { uri: text('Its URI.') }),
  tool('read_template', 'Reads a resource made of its id', { id: text('Its id.') }),
  tool('get_prompt', 'Makes a prompt of the suite', {
    name: text('Its name.'),
    arguments: Type.Record(Type.String(), Type.String(), { description: 'Its arguments.' }),
  }),
];

const resource = (uri: string, title: string, mime_type: string): ResourceKind => ({
  kind: uri.replace(/\W+/g, '_'),
  uri,
  title,
  description: `${title} of the conformance suite.`,
  mime_type,
  tool_id: 'test.read_resource',
  arguments: { uri },
  view: { member: 'content', as: 'contents' },
});

const RESOURCES: ResourceKind[] = [
  resource('test://static-text', 'A text', 'text/plain'),
  resource('test://static-binary', 'An image', 'image/png'),
  resource('test://watched-resource', 'A watched text', 'text/plain'),
  {
    kind: 'test_template',
    uri: 'test://template/{id}/data',
    title: 'A text made of its id',
    description: 'A template of the conformance suite.',
    mime_type: 'application/json',
    tool_id: 'test.read_template',
    view: { member: 'content', as: 'contents' },
  },
];

const prompt = (name: string, title: string, ...args: string[]): Prompt => ({
  name,
  title,
  description: `${title}. A fixture of the MCP conformance suite.`,
  arguments: args.map((argument) => ({ name: argument, description: 'Any text.', required: true })),
  needs: ['test.get_prompt'],
  aim: '',
  steps: [],
  close: '',
  tool_id: 'test.get_prompt',
});

const PROMPTS: Prompt[] = [
  prompt('test_simple_prompt', 'A prompt'),
  prompt('test_prompt_with_arguments', 'A prompt with arguments', 'arg1', 'arg2'),
  prompt('test_prompt_with_embedded_resource', 'A prompt with a resource', 'resourceUri'),
  prompt('test_prompt_with_image', 'A prompt with an image'),
  prompt('test_input_required_result_prompt', 'A prompt that asks first'),
];

export const CONFORMANCE: FurtherPlane = {
  plane: {
    plane_id: 'conformance',
    title: 'ConformancePlane',
    surface: 'development',
    summary: 'Fixtures of the official MCP conformance suite. Test only.',
  },
  tools: TOOLS,
  profile: {
    profile_id: 'Conformance',
    version: 1,
    title: 'Run the conformance suite',
    summary:
      'The fixtures of the suite, and two hub tools whose publication the suite’s change hooks toggle.',
    capabilities: [CAPABILITY, 'hub.get_status', 'hub.get_logs'],
  },
  resources: RESOURCES,
  prompts: PROMPTS,
};
