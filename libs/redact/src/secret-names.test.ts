import { expect, test } from '@jest/globals';
import { secretKind } from './secret-names.js';

test.each([
  'password',
  'PGPASSWORD',
  'db_pass',
  'clientSecret',
  'client-secret',
  'X-Api-Key',
  'x_api_key',
  'APIKey',
  'apikey',
  'my_api_key_value',
  'accessToken',
  'refresh_token',
  'csrfToken',
  'token',
  'TOKENS',
  'privateKey',
  'ssh_key',
  'signing-key',
  'password_hash',
  'passwd2',
  'jwt',
  'PHPSESSID',
  '_authToken',
  '_auth',
  'AWS_SECRET_ACCESS_KEY',
  'session_secret',
  'session_key',
  'operator_token',
  'credentials',
])('%s is secret', (name) => {
  expect(secretKind(name)).toBe('secret');
});

test.each([
  ['Authorization', 'authorization'],
  ['proxy-authorization', 'authorization'],
  ['AUTHORIZATION', 'authorization'],
  ['Set-Cookie', 'cookie'],
  ['cookies', 'cookie'],
  ['JSESSIONID', 'cookie'],
])('%s is %s', (name, kind) => {
  expect(secretKind(name)).toBe(kind);
});

test.each([
  'token_id',
  'token_count',
  'secret_name',
  'token_type',
  'password_min_length',
  'expires_in',
  'session_id',
  'lease_id',
  'key',
  'key_id',
  'access_key_id',
  'public_key',
  'primary_key',
  'cache_key',
  'keyboard',
  'secretary',
  'monkey',
  'tokenizer',
  'author',
  'authority',
  'next_page_token',
  'arguments_digest',
  'auth_method',
  'compass',
  'passed',
  'bypass',
  'service',
  'permit_id',
  'cookie_name',
])('%s is not', (name) => {
  expect(secretKind(name)).toBeNull();
});
