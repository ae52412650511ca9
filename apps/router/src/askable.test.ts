import { expect, test } from '@jest/globals';
import type { InputAsked, InputGiven } from '@adaos/contracts';
import { askable } from './askable.js';

const form = { method: 'elicitation/create' as const, params: { message: 'Who?' } };
const url = { method: 'elicitation/create' as const, params: { mode: 'url', url: 'https://a.example' } };
const sampling = { method: 'sampling/createMessage' as const, params: {} };
const roots = { method: 'roots/list' as const, params: {} };
const asked = (requests: InputAsked['requests']): InputAsked => ({ requests, state: 's' });
const given = (accepts: InputGiven['accepts']): InputGiven => ({ accepts, responses: {}, state: null });

test('only what the caller takes is put to it', () => {
  const all = asked({ form, url, sampling, roots });
  expect(Object.keys(askable(all, given(['sampling', 'roots'])).requests)).toEqual(['sampling', 'roots']);
  expect(Object.keys(askable(all, given(['elicitation.url'])).requests)).toEqual(['url']);
  expect(Object.keys(askable(all, given(['elicitation.form'])).requests)).toEqual(['form']);
});

test('nothing left to ask names the capability that would help', () => {
  for (const caller of [given([]), undefined])
    expect(() => askable(asked({ sampling }), caller)).toThrow(
      expect.objectContaining({
        code: 'input_required',
        details: { required_capabilities: { sampling: {} } },
      }),
    );
});

test('a state without a question goes out to a client of rounds, and to no other', () => {
  expect(askable(asked({}), given([]))).toEqual(asked({}));
  expect(() => askable(asked({}), undefined)).toThrow(expect.objectContaining({ code: 'input_required' }));
});
