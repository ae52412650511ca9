import { describe, expect, test } from '@jest/globals';
import { MAX_PROGRESS_MESSAGE, NO_OBLIGATIONS, type ExecReply, type Obligations } from '@adaos/contracts';
import { oblige, obligeStep } from './oblige.js';

const reply = (given: Partial<ExecReply>): ExecReply => ({
  status: 'succeeded',
  redactions: [],
  adapter: 'test',
  adapter_ms: 1,
  ...given,
});
const tied = (given: Partial<Obligations>): Obligations => ({ ...NO_OBLIGATIONS, ...given });

describe('what an allow is tied to', () => {
  test('without obligations an answer stays as it is', () => {
    const plain = reply({ result: { at: '10.0.0.1' } });
    expect(oblige(plain, NO_OBLIGATIONS)).toEqual({ reply: plain, withheld: null });
  });

  test('masks reach the result, the error and the questions of a tool, never its state', () => {
    const asked = oblige(
      reply({
        result: { list: ['a@example.org'] },
        error: { code: 'adapter_failed', message: 'no route to 10.0.0.1', details: { host: '10.0.0.2' } },
        input: {
          requests: { q: { method: 'elicitation/create', params: { message: 'Really on 10.0.0.3?' } } },
          state: 's 10.0.0.4',
        },
        redactions: [{ rule: 'email', count: 1 }],
      }),
      tied({ redact: ['email', 'ip_address'] }),
    ).reply;
    expect(JSON.stringify(asked)).not.toMatch(/example\.org|10\.0\.0\.[123]/);
    expect(asked.input?.state).toBe('s 10.0.0.4');
    expect(asked.redactions).toEqual([
      { rule: 'email', count: 2 },
      { rule: 'ip_address', count: 3 },
    ]);
  });

  test('the size is that of what is left, to the byte', () => {
    const result = { text: 'é'.repeat(10) };
    const bytes = Buffer.byteLength(JSON.stringify(result));
    expect(oblige(reply({ result }), tied({ max_result_bytes: bytes })).withheld).toBeNull();
    expect(oblige(reply({ result }), tied({ max_result_bytes: bytes - 1 })).withheld).toMatchObject({
      code: 'result_too_large',
      details: { limit: bytes - 1 },
    });
  });

  test('progress carries no more than the answer may', () => {
    const step = { progress: 1, message: 'copying to 10.0.0.1' };
    expect(obligeStep(step, NO_OBLIGATIONS)).toEqual(step);
    const { message } = obligeStep(step, tied({ redact: ['ip_address'] }));
    expect(message).toBe('copying to [redacted:ip_address]');
    const long = obligeStep(
      { progress: 1, message: '1.1.1.1 '.repeat(25) },
      tied({ redact: ['ip_address'] }),
    );
    expect(long.message!.length).toBeLessThanOrEqual(MAX_PROGRESS_MESSAGE);
  });
});
