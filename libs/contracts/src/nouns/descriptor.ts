import { Type, type Static } from 'typebox';
import { Count, Json, List, Nullable, OneOf, Text, Timestamp } from './field.js';

/** Classes that are served; a class that nothing builds yet is not listed, so nobody asks for it in vain. */
export const DESCRIPTOR_CLASSES = [
  'plane_registry',
  'capability_profiles',
  'schema_manifest',
  'client_profile',
] as const;
export type DescriptorClass = (typeof DESCRIPTOR_CLASSES)[number];

/** How much of it: names only, what most readers need, everything. */
export const DESCRIPTOR_LEVELS = ['mini', 'std', 'rich'] as const;
export type DescriptorLevel = (typeof DESCRIPTOR_LEVELS)[number];

const DESCRIPTOR_STATES = ['fresh', 'stale', 'missing', 'building'] as const;

/** What a descriptor is, without its payload (contracts.md, "Descriptor"). `content_hash` covers class, level and payload alone. */
export const DescriptorHead = Type.Object({
  descriptor_id: Text(64),
  class: OneOf(DESCRIPTOR_CLASSES),
  title: Text(120),
  summary: Text(300),
  source_kind: OneOf(['build'] as const),
  source_ref: Text(200),
  generated_at: Timestamp(),
  fresh_until: Timestamp(),
  cache_ttl_sec: Count(),
  stability: OneOf(['stable', 'experimental', 'internal'] as const),
  content_hash: Text(64),
  level: OneOf(DESCRIPTOR_LEVELS),
  levels: List(OneOf(DESCRIPTOR_LEVELS), 3),
  state: OneOf(DESCRIPTOR_STATES),
  build: Type.Object({ version: Text(64), commit: Text(64), built_at: Nullable(Timestamp()) }),
});
export type DescriptorHead = Static<typeof DescriptorHead>;

export const Descriptor = Type.Object({ ...DescriptorHead.properties, payload: Json() });
export type Descriptor = Static<typeof Descriptor>;
