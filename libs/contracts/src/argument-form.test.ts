import { expect, test } from '@jest/globals';
import { argumentForm } from './tools/argument-form.js';
import { toolOf } from './tools/registry.js';

const schema = (properties: Record<string, unknown>, required: string[]) => ({
  input_schema: { type: 'object', properties, required },
});

test('asks for what is required and missing, in the words of the tool’s own schema', () => {
  const { contract } = toolOf('hub.restart_service');
  expect(argumentForm(contract, {})).toEqual({
    type: 'object',
    properties: {
      service: { type: 'string', maxLength: 64, description: 'Name of the service, as in hub_get_status.' },
    },
    required: ['service'],
  });
  expect(argumentForm(contract, { service: 'web' })).toBeNull();
  expect(argumentForm(contract, { service: 'web' }, ['target_id'])?.required).toEqual(['target_id']);
});

test('keeps what a form can carry: numbers, switches, choices; a pattern is left to the call', () => {
  const form = argumentForm(
    schema(
      {
        n: { type: 'integer', minimum: 1, multipleOf: 2 },
        on: { type: 'boolean', default: false },
        pick: { type: 'string', enum: ['a', 'b'] },
        mail: { type: 'string', format: 'email', pattern: '@' },
        odd: { type: 'string', format: 'ipv4' },
      },
      ['n', 'on', 'pick', 'mail', 'odd'],
    ),
    {},
  );
  expect(form?.properties).toEqual({
    n: { type: 'integer', minimum: 1 },
    on: { type: 'boolean', default: false },
    pick: { type: 'string', enum: ['a', 'b'] },
    mail: { type: 'string', format: 'email' },
    odd: { type: 'string' },
  });
});

test('no form for what is not flat, not in the schema, or a name of every object', () => {
  expect(argumentForm(schema({ list: { type: 'array' } }, ['list']), {})).toBeNull();
  expect(argumentForm(schema({ any: {} }, ['any']), {})).toBeNull();
  expect(argumentForm(schema({}, []), {}, ['constructor'])).toBeNull();
  expect(argumentForm(schema({}, ['__proto__']), {})).toBeNull();
});
