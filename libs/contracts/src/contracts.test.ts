import { describe, expect, test } from '@jest/globals';
import { ERRORS, fromErrorBody, OpError, toErrorBody } from './errors.js';
import { PROFILES, profileOf } from './profiles.js';
import { permissionsOf, subjectOf } from './subject-names.js';
import { BUS_USERS, SUBJECTS } from './subjects.js';
import { defineTool } from './tools/define.js';
import { findTool, registerTools, TOOL_CONTRACTS, toolOf, toolsFor } from './tools/registry.js';

describe('tool contracts', () => {
  test('published names lead back to one contract', () => {
    for (const contract of TOOL_CONTRACTS) {
      expect(findTool(contract.mcp_name)).toBe(findTool(contract.tool_id));
    }
    expect(new Set(TOOL_CONTRACTS.map((c) => c.mcp_name)).size).toBe(TOOL_CONTRACTS.length);
  });

  test('annotations follow the side-effect class, writes run on test only and carry a request id', () => {
    const restart = toolOf('hub.restart_service').contract;
    expect(restart.annotations).toEqual({
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    });
    expect(restart.allowed_environments).toEqual(['test']);
    expect(restart.idempotency).toBe('request_id');
    expect(Object.keys(restart.input_schema['properties'] as object)).toEqual([
      'service',
      'target_id',
      'dry_run',
      'request_id',
      'approval_id',
    ]);
    expect(toolOf('hub_get_status').contract.annotations.readOnlyHint).toBe(true);
  });

  test('who may act need not be who may agree', () => {
    const holders = (tool_id: string) => toolOf(tool_id).contract.operator_roles;
    expect(holders('operations.approve')).toEqual(['approver', 'admin']);
    expect(holders('operations.list_approvals')).toEqual(['viewer', 'operator', 'approver', 'admin']);
    expect(holders('hub.restart_service')).toEqual(['operator', 'admin']);
  });

  test('a name that two ids share, an unknown plane and a wrong surface are refused at registration', () => {
    const base = { ...toolOf('hub.get_status').contract };
    const twin = { ...base, tool_id: 'hub.get-status' };
    expect(() => registerTools([base, twin])).toThrow('the name hub_get_status is taken');
    expect(() => registerTools([{ ...base, plane_id: 'nowhere' }])).toThrow('no plane nowhere');
    expect(() => registerTools([{ ...base, plane_id: 'adaos_dev' }])).toThrow(
      'surface differs from its plane',
    );
    expect(() => registerTools([{ ...base, mcp_name: 'a__b' }])).toThrow('no valid MCP name');
    expect(() => registerTools([{ ...base, mcp_name: 'x'.repeat(41) }])).toThrow('no valid MCP name');
  });

  test.each([
    ['draft-07', { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' }],
    ['2019-09', { $schema: 'https://json-schema.org/draft/2019-09/schema', type: 'object' }],
    ['a remote reference', { type: 'object', properties: { a: { $ref: 'https://evil.example/s.json' } } }],
    ['a dangling reference', { type: 'object', properties: { a: { $ref: '#/$defs/x' } } }],
    ['a format nobody checks', { type: 'object', properties: { a: { type: 'string', format: 'uri' } } }],
    ['a misspelt keyword', { type: 'object', additionalProps: false }],
    ['an unknown type', { type: 'thing' }],
  ])(
    'F10: a contract with %s is refused at registration, on either side, with its reason',
    (_what, schema) => {
      const base = toolOf('hub.get_status').contract;
      for (const side of ['input_schema', 'output_schema'] as const)
        expect(() => registerTools([{ ...base, [side]: { ...schema } }])).toThrow(
          `tool hub.get_status: ${side}: `,
        );
    },
  );

  test('F10: 2020-12 by name and references within the schema are taken', () => {
    const base = toolOf('hub.get_status').contract;
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { a: { $ref: '#/$defs/x' } },
      $defs: { x: { type: 'string' } },
    };
    const taken = registerTools([{ ...base, input_schema: schema, output_schema: schema }]);
    expect(taken.get('hub.get_status')!.checkArguments({ a: 'x' })).toEqual({ a: 'x' });
    expect(() => taken.get('hub.get_status')!.checkArguments({ a: 1 })).toThrow('/a must be string');
  });

  test('arguments: what breaks the schema is named by path and rule, nothing is coerced', () => {
    const check = toolOf('hub.get_logs').checkArguments;
    const fault = (value: unknown) => {
      try {
        return check(value);
      } catch (error) {
        return toErrorBody(error);
      }
    };
    expect(fault({ tail: 5 })).toEqual({ tail: 5 });
    expect(fault({ tail: '50' })).toEqual({
      code: 'invalid_argument',
      message: '/tail must be a number; it came as a string, and nothing is converted.',
      details: { path: '/tail', rule: 'type' },
    });
    expect(fault({ path: '/etc' })).toMatchObject({
      details: { rule: 'additionalProperties', property: 'path' },
    });
    expect(fault(null)).toMatchObject({ code: 'invalid_argument', details: { rule: 'type' } });
    expect(fault({ tail: 1001 })).toMatchObject({ details: { path: '/tail', rule: 'maximum' } });
    expect(defineTool).toBeInstanceOf(Function);
  });
});

describe('profiles', () => {
  test('hold only capabilities that a registered tool needs, and at most 30 tools', () => {
    const known = new Set(TOOL_CONTRACTS.map((c) => c.required_capability));
    for (const profile of Object.values(PROFILES)) {
      expect([profile.profile_id, profile.capabilities.filter((c) => !known.has(c))]).toEqual([
        profile.profile_id,
        [],
      ]);
      expect(toolsFor(profile.capabilities).length).toBeLessThanOrEqual(30);
    }
  });

  test('a read profile holds no write', () => {
    for (const id of ['SdkRead', 'InfraOpsRead', 'AuditRead']) {
      const writes = toolsFor(profileOf(id).capabilities).filter(
        (t) => !toolOf(t).contract.annotations.readOnlyHint,
      );
      expect([id, writes]).toEqual([id, []]);
    }
    expect(toolsFor(profileOf('InfraOpsControl').capabilities)).toContain('hub.restart_service');
  });

  test('an unknown profile is an error, also by a name that every object has', () => {
    for (const name of ['Nope', 'constructor', '__proto__', 'toString'])
      expect(() => profileOf(name)).toThrow('Unknown capability profile.');
  });
});

describe('subjects', () => {
  test.each(['a b', '*.x', '>', 'a.b', '..', 'x\r\nPUB evil 0', '😀', 'x'.repeat(65), ''])(
    'a hub id like %j never becomes a subject',
    (hub_id) => {
      expect(() => subjectOf('hub_exec', hub_id)).toThrow(TypeError);
    },
  );

  test('a hub may speak for itself only', () => {
    expect(permissionsOf('hub', 'h1')).toEqual({
      publish: ['mcp.v1.to_root.h1.report', 'mcp.v1.to_root.h1.event', 'mcp.v1.to_root.h1.progress'],
      subscribe: ['mcp.v1.to_hub.h1.exec', 'mcp.v1.to_hub.h1.cancel', 'mcp.v1.to_hub.h1.control'],
    });
  });

  test('only router reaches hubs and policy, and the edge reaches router, and session for those who are not known yet', () => {
    const reach = (user: (typeof BUS_USERS)[number]) => permissionsOf(user, 'h1').publish;
    for (const user of BUS_USERS)
      expect(reach(user).some((s) => s.startsWith('mcp.v1.to_hub.'))).toBe(user === 'router');
    expect(
      reach('facade').filter((s) => s.startsWith('mcp.v1.root.') && !s.startsWith('mcp.v1.root.router.')),
    ).toEqual(
      ['admit', 'trust', 'begin_sign_in', 'finish_sign_in', 'end_sign_in'].map(
        (verb) => `mcp.v1.root.session.${verb}`,
      ),
    );
    // The one subject with a bearer in it: nobody else may send one, nobody else may read it.
    expect([SUBJECTS.session_admit.from, SUBJECTS.session_admit.to]).toEqual([['facade'], ['session']]);
    for (const row of Object.values(SUBJECTS)) expect(row.to.length).toBeGreaterThan(0);
  });
});

describe('errors', () => {
  test('an unknown throw keeps its message inside', () => {
    expect(toErrorBody(new Error('password=hunter2'))).toEqual({
      code: 'internal',
      message: ERRORS.internal.message,
    });
  });

  test('a peer can not invent a code', () => {
    expect(fromErrorBody({ code: '__proto__', message: 'x' }).code).toBe('internal');
    expect(fromErrorBody({ code: 'target_offline', message: 'x', details: { a: 1 } })).toEqual(
      new OpError('target_offline', { a: 1 }, 'x'),
    );
  });

  test('own JSON-RPC codes stay out of the reserved range', () => {
    for (const [code, { jsonrpc }] of Object.entries(ERRORS)) {
      const standard = ['tool_not_found', 'invalid_argument', 'internal'].includes(code);
      expect([code, jsonrpc > -32000 || jsonrpc < -32768 || standard]).toEqual([code, true]);
    }
  });
});
