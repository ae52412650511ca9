import { expect, test } from '@jest/globals';
import { PLANES } from './planes.js';
import { PROFILES, profileOf } from './profiles.js';
import { PROMPTS } from './prompts.js';
import { registerPlane, type FurtherPlane } from './register-plane.js';
import { matchUri, RESOURCE_KINDS } from './resources.js';
import { defineTool } from './tools/define.js';
import { findTool, TOOL_CONTRACTS, toolsFor } from './tools/registry.js';

const tool = (tool_id: string, plane_id = 'extra') =>
  defineTool({
    tool_id,
    title: 'A tool',
    summary: 'A tool of a further plane.',
    surface: 'development',
    plane_id,
    served_by: 'descriptor',
    side_effect_class: 'none',
    routing_class: 'descriptive_cached_read',
    required_capability: 'extra.use',
    timeout_ms: 1_000,
    input: {},
    output: {},
  });
const plane = (plane_id: string, ...tools: FurtherPlane['tools']): FurtherPlane => ({
  plane: { plane_id, title: plane_id, surface: 'development', summary: 'More.' },
  tools,
  profile: {
    profile_id: `Profile_${plane_id}`,
    version: 1,
    title: 'More',
    summary: 'More.',
    capabilities: ['extra.use'],
  },
  resources: [{ ...RESOURCE_KINDS[0]!, kind: plane_id, uri: `${plane_id}://one` }],
  prompts: [{ ...PROMPTS[0]!, name: `${plane_id}_prompt` }],
});

test('a further plane is in every registry; a taken name and a second time are refused', () => {
  const before = TOOL_CONTRACTS.length;
  const long = `extra.${'x'.repeat(40)}`;
  registerPlane(plane('extra', tool('extra.one'), tool(long)));
  expect(TOOL_CONTRACTS.length).toBe(before + 2);
  expect(findTool('extra_one')?.contract.tool_id).toBe('extra.one');
  expect(toolsFor(['extra.use'])).toEqual(['extra.one', long]);
  expect(profileOf('Profile_extra').capabilities).toEqual(['extra.use']);
  expect([Object.keys(PLANES), Object.keys(PROFILES)]).toEqual([
    expect.arrayContaining(['extra']),
    expect.arrayContaining(['Profile_extra']),
  ]);
  expect(matchUri('extra://one')?.kind.kind).toBe('extra');
  expect(PROMPTS.at(-1)?.name).toBe('extra_prompt');

  expect(() => registerPlane(plane('extra'))).toThrow('plane extra is there already');
  expect(() => registerPlane(plane('again', tool('extra_one', 'again')))).toThrow(
    'the name extra_one is taken',
  );
  expect(() => registerPlane(plane('long', tool(`l.${'x'.repeat(63)}`, 'long')))).toThrow(
    'no valid MCP name',
  );
});
