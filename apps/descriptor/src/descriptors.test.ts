import { describe, expect, test } from '@jest/globals';
import { Descriptor, DESCRIPTOR_CLASSES, PLANES, TOOL_CONTRACTS, validator } from '@adaos/contracts';
import { descriptors } from './descriptors.js';

const build = { version: '1.2.3', commit: 'abc' };
const at = (iso: string) => descriptors({ build, now: () => Date.parse(iso) });
const first = at('2026-01-01T00:00:00.000Z');

describe('descriptors of a build', () => {
  test('every class is served at every level, in the shape of its contract', () => {
    const check = validator<Descriptor>(Descriptor);
    for (const id of DESCRIPTOR_CLASSES)
      for (const level of ['mini', 'std', 'rich'] as const)
        expect(check(first.get(id, level))).toMatchObject({
          descriptor_id: id,
          level,
          state: 'fresh',
          build,
        });
    expect(first.list().map((d) => d.descriptor_id)).toEqual([...DESCRIPTOR_CLASSES]);
    expect(first.list('client_profile').map((d) => d.class)).toEqual(['client_profile']);
  });

  test('the hash is that of the content: another replica at another time has the same, another level another', () => {
    const later = at('2027-06-01T00:00:00.000Z');
    for (const id of DESCRIPTOR_CLASSES) {
      expect(later.get(id).content_hash).toBe(first.get(id).content_hash);
      const hashes = (['mini', 'std', 'rich'] as const).map((level) => first.get(id, level).content_hash);
      expect(new Set(hashes).size).toBe(3);
    }
  });

  test('payloads are the registries of this build', () => {
    expect(first.get('plane_registry', 'mini').payload).toEqual({ entries: Object.keys(PLANES) });
    expect(first.get('schema_manifest', 'rich').payload).toMatchObject({
      entries: TOOL_CONTRACTS.map(({ tool_id }) => ({ tool_id })),
    });
    expect(JSON.stringify(first.get('client_profile', 'rich').payload)).not.toContain('Bearer mcp_');
  });

  test('an unknown one is refused', () =>
    expect(() => first.get('toString')).toThrow('There is no such descriptor.'));
});
