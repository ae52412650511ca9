import { describe, expect, test } from '@jest/globals';
import { pub, secret } from '@adaos/contracts';
import { Type } from 'typebox';
import { ConfigError, loadConfig, printableConfig } from './config.js';

const Schema = Type.Object({
  PORT: pub(Type.Integer({ minimum: 0, maximum: 65_535, default: 80 })),
  LEVEL: pub(Type.String({ enum: ['info', 'debug'], default: 'info' })),
  VERBOSE: pub(Type.Boolean({ default: false })),
  URL: secret(Type.String({ minLength: 1 })),
  FORGOTTEN: Type.Optional(Type.String()),
});

describe('loadConfig', () => {
  test('reads text into the types of the schema, fills defaults, freezes', () => {
    const config = loadConfig(Schema, { PORT: '8080', VERBOSE: '1', URL: 'postgres://u:p@h/d', OTHER: 'x' });
    expect(config).toEqual({ PORT: 8080, LEVEL: 'info', VERBOSE: true, URL: 'postgres://u:p@h/d' });
    expect(Object.isFrozen(config)).toBe(true);
  });

  test('reports every problem at once, in words, without the value', () => {
    const load = () => loadConfig(Schema, { PORT: '70000', LEVEL: 'loud', VERBOSE: 'maybe' });
    expect(load).toThrow(ConfigError);
    try {
      load();
    } catch (error) {
      expect((error as ConfigError).problems).toEqual([
        'PORT must be a whole number from 0 to 65535',
        'LEVEL must be one of info, debug',
        'VERBOSE must be 1 or 0',
        'URL is missing',
      ]);
    }
  });

  test.each(['80x', ' ', '1.5', 'NaN', '-1'])('a port of %j is refused', (PORT) => {
    expect(() => loadConfig(Schema, { PORT, URL: 'x' })).toThrow('PORT must be a whole number');
  });

  test('prints what is public and names the rest', () => {
    const config = loadConfig(Schema, { URL: 'postgres://u:hunter2@h/d', FORGOTTEN: 'hunter3' });
    const printed = printableConfig(Schema, config);
    expect(printed).toMatchObject({ PORT: 80, URL: '[redacted]', FORGOTTEN: '[redacted]' });
    expect(JSON.stringify(printed)).not.toContain('hunter');
  });
});
