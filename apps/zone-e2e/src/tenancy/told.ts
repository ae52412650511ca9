import type { Answer } from '../door.js';

/** What an answer tells, without what differs between any two requests: ids made for it, times, durations, the value that was asked for. */
export function told({ status, headers, text }: Answer, asked: string | null) {
  const { date: _date, connection: _connection, ...rest } = headers;
  return {
    status,
    headers: Object.fromEntries(
      Object.entries(rest).map(([name, value]) => [name, general(String(value), asked)]),
    ),
    text: general(text, asked),
  };
}

function general(text: string, asked: string | null): string {
  const forms = asked === null ? [] : [asked, encodeURIComponent(asked), JSON.stringify(asked).slice(1, -1)];
  return forms
    .reduce((out, form) => out.replaceAll(form, '<asked>'), text)
    .replace(/\b(evt|req|dec|prm|lse|apr|tok|key|run|tsk)_[0-9A-Z]{26}/g, '<$1>')
    .replace(/\b(mcp|adm|acc)_[A-Za-z0-9_-]{43}/g, '<$1 bearer>')
    .replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/\b[0-9a-f]{64}\b/g, '<digest>')
    .replace(/\b[0-9a-f]{32}\b/g, '<trace>')
    .replace(/("(?:\w+_ms|seq)\\?":\s?)[\d.]+/g, '$1<n>');
}

/** Every number of a JSON answer by its place. */
export function numbersIn(value: unknown, path = ''): Map<string, number> {
  const found = new Map<string, number>();
  const walk = (one: unknown, at: string): void => {
    if (typeof one === 'number') found.set(at, one);
    else if (Array.isArray(one)) {
      found.set(`${at}.length`, one.length);
      one.forEach((member, i) => walk(member, `${at}[${i}]`));
    } else if (typeof one === 'object' && one !== null)
      for (const [name, member] of Object.entries(one)) walk(member, `${at}.${name}`);
  };
  walk(value, path);
  return found;
}
