import { describe as group, expect, test } from '@jest/globals';
import { PLANES, PROFILES, TOOL_CONTRACTS, toolOf, validator } from '@adaos/contracts';
import { describe } from './describe.js';

const answers = describe({
  zone: 'local',
  build: { version: '1.2.3', commit: 'abc' },
  now: () => Date.parse('2026-01-01T00:00:00.000Z'),
});

group('development surface', () => {
  test('every answer fits the output schema of its contract', () => {
    const args: Record<string, never> = {
      'adaos_dev.get_contract': { tool_id: 'hub.get_status' } as never,
      'adaos_dev.get_descriptor': { descriptor_id: 'plane_registry' } as never,
    };
    for (const [tool_id, run] of Object.entries(answers)) {
      const result = (run as (a: unknown) => unknown)(args[tool_id] ?? {});
      expect(() => validator(toolOf(tool_id).contract.output_schema)(result)).not.toThrow();
    }
  });

  test('serves exactly the tools that say they are served by descriptor', () => {
    expect(Object.keys(answers).sort()).toEqual(
      TOOL_CONTRACTS.filter((c) => c.served_by === 'descriptor')
        .map((c) => c.tool_id)
        .sort(),
    );
  });

  test('the foundation tells build, zone and true counts', () => {
    const { foundation } = answers['adaos_dev.get_foundation']();
    expect(foundation).toMatchObject({
      zone: 'local',
      build: { version: '1.2.3', commit: 'abc' },
      counts: {
        tools: TOOL_CONTRACTS.length,
        planes: Object.keys(PLANES).length,
        profiles: Object.keys(PROFILES).length,
      },
    });
  });

  test('contracts are filtered by surface and plane', () => {
    const ids = (args: object) => answers['adaos_dev.list_contracts'](args).contracts.map((c) => c.tool_id);
    expect(ids({ surface: 'development' })).toEqual(Object.keys(answers));
    expect(ids({ plane_id: 'infra_ops' })).toContain('hub.restart_service');
    expect(ids({ surface: 'development', plane_id: 'infra_ops' })).toEqual([]);
  });

  test('a contract is found by id and by MCP name, an unknown one is refused', () => {
    const get = answers['adaos_dev.get_contract'];
    expect(get({ tool_id: 'hub_get_status' })).toEqual(get({ tool_id: 'hub.get_status' }));
    expect(() => get({ tool_id: 'hub.nope' })).toThrow('Unknown tool.');
  });

  test('capabilities name their tools, whether they write, and the profiles that hold them', () => {
    const { capabilities } = answers['adaos_dev.list_capability_classes']();
    expect(capabilities.find((c) => c.capability === 'hub.restart_service')).toEqual({
      capability: 'hub.restart_service',
      tools: ['hub.restart_service'],
      writes: true,
      profiles: ['InfraOpsControl'],
    });
  });
});
