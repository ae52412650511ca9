import { Type } from 'typebox';
import { Json, List, OneOf, Text } from '../nouns/field.js';
import { Descriptor, DESCRIPTOR_CLASSES, DESCRIPTOR_LEVELS, DescriptorHead } from '../nouns/descriptor.js';
import { SURFACES } from '../nouns/tool-contract.js';
import { defineTool, LIST_BYTES, type ToolSource } from './define.js';

const dev = (
  source: Pick<ToolSource, 'tool_id' | 'title' | 'summary' | 'required_capability' | 'input' | 'output'> &
    Partial<ToolSource>,
) =>
  defineTool({
    ...source,
    surface: 'development',
    plane_id: 'adaos_dev',
    served_by: 'descriptor',
    side_effect_class: 'none',
    routing_class: 'descriptive_cached_read',
    timeout_ms: 5_000,
  });

/** AdaOSDevPlane: what root itself can describe, without touching a hub. */
export const ADAOS_DEV_TOOLS = [
  dev({
    tool_id: 'adaos_dev.get_foundation',
    title: 'Describe this zone',
    summary:
      'Build, surfaces, planes, profiles, entry points and counts of this Root MCP Foundation. Start here.',
    required_capability: 'sdk.read.metadata',
    input: {},
    output: { foundation: Json() },
  }),
  dev({
    tool_id: 'adaos_dev.list_contracts',
    title: 'List tool contracts',
    summary:
      'Tool contracts of the zone in short form: id, title, summary, side effects, capability. Filter by surface or plane.',
    required_capability: 'sdk.read.metadata',
    input: {
      surface: Type.Optional(OneOf(SURFACES, 'Only this surface.')),
      plane_id: Type.Optional(Text(40, 'Only this plane, for example infra_ops.')),
    },
    output: { contracts: List(Json()) },
  }),
  dev({
    tool_id: 'adaos_dev.get_contract',
    title: 'Read one tool contract',
    summary:
      'The whole contract of a tool: input and output schema, side effects, environments, limits, timeout, redaction.',
    required_capability: 'sdk.read.schemas',
    input: { tool_id: Text(64, 'Tool id such as hub.get_status, or its MCP name.') },
    output: { contract: Json() },
  }),
  dev({
    tool_id: 'adaos_dev.list_descriptors',
    title: 'List descriptors',
    summary:
      'Descriptors of this build: what each describes, its content hash, how long it may be kept. Read one with get_descriptor.',
    required_capability: 'sdk.read.metadata',
    input: { class: Type.Optional(OneOf(DESCRIPTOR_CLASSES, 'Only this class.')) },
    output: { descriptors: List(DescriptorHead, 200) },
  }),
  dev({
    tool_id: 'adaos_dev.get_descriptor',
    max_result_bytes: LIST_BYTES,
    title: 'Read one descriptor',
    summary:
      'One descriptor with its payload, at the level asked for: mini (names), std (default), rich (everything). ' +
      'An equal content hash means an equal payload.',
    required_capability: 'sdk.read.metadata',
    input: {
      descriptor_id: Text(64, 'Id as list_descriptors shows it, for example plane_registry.'),
      level: Type.Optional(OneOf(DESCRIPTOR_LEVELS, 'How much of it; std when left out.')),
    },
    output: { descriptor: Descriptor },
  }),
  dev({
    tool_id: 'adaos_dev.list_capability_classes',
    title: 'List capabilities and profiles',
    summary:
      'Every capability with the tools that need it, and the capability profiles a lease can be issued with.',
    required_capability: 'sdk.read.capability_classes',
    input: {},
    output: { capabilities: List(Json()), profiles: List(Json()), planes: List(Json()) },
  }),
];
