import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { BEARER_ENV, CONFIG_CLIENTS, clientConfig, ERRORS } from '@adaos/contracts';
import { ROOT, textOf } from './sources.js';

const SKIPPED = new Set(['node_modules', 'dist', 'coverage']);

/** Every page of the checkout, from the root. */
function pages(folder = ''): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) || entry.name.startsWith('.') ? [] : pages(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

/** A page without what only looks like a link, a heading or a path. */
const proseOf = (text: string) => text.replace(/^( *)```[\s\S]*?^\1```/gm, '');

/** Rows of all tables of a page, as cells. */
const rowsOf = (text: string): string[][] =>
  proseOf(text)
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^[|\s-]+$/.test(line))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

const codesIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1]!);
const linksIn = (text: string): string[] =>
  [...proseOf(text).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1]!);
const linked = (page: string, link: string) => relative(ROOT, join(ROOT, dirname(page), link.split('#')[0]!));

/** Anchors as GitHub makes them. */
function anchorsOf(text: string): Set<string> {
  const headings = [...proseOf(text).matchAll(/^#{1,6} (.+)$/gm)].map((match) => match[1]!);
  return new Set(
    headings.map((heading) =>
      heading
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

const all = pages();
/** Ours to keep true; pages beside code of others are held to their links only. */
const written = all.filter(
  (page) => /^(?:[A-Z]+\.md|docs\/.*)$/.test(page) && !textOf(page).startsWith('<!-- Made by'),
);

describe('generated pages', () => {
  let made: Record<string, string> = {};
  beforeAll(() => {
    const { stdout, stderr } = spawnSync(process.execPath, ['tools/generators/reference.mjs', '--json'], {
      cwd: ROOT,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
    if (!stdout) throw new Error(stderr);
    made = JSON.parse(stdout) as Record<string, string>;
  }, 60_000);

  test('are what the sources say now (else: node tools/generators/reference.mjs)', () => {
    const names = Object.keys(made);
    expect(names).toEqual(
      expect.arrayContaining(['docs/reference/errors.md', 'docs/reference/tools.md', 'README.md']),
    );
    expect(names.filter((path) => !existsSync(join(ROOT, path)) || textOf(path) !== made[path])).toEqual([]);
  });

  test('are all made: none is left of a generator that is gone', () => {
    const marked = all.filter((page) => textOf(page).startsWith('<!-- Made by'));
    expect(marked.filter((page) => !(page in made))).toEqual([]);
  });
});

describe('the error table', () => {
  test.each(['docs/reference/errors.md', 'docs/guides/why-was-it-denied.md'])(
    '%s has a row for each code',
    (page) => {
      const named = rowsOf(textOf(page)).map(([first]) => first);
      expect(Object.keys(ERRORS).filter((code) => !named.includes(`\`${code}\``))).toEqual([]);
    },
  );
});

describe('client configurations', () => {
  const INPUT = {
    mcp_url: 'http://127.0.0.1:7717/v1/root/mcp',
    server_name: 'adaos',
    bearer_env: BEARER_ENV,
  };

  test.each(['README.md', 'docs/guides/connect-a-client.md'])(
    '%s shows each client what clientConfig() makes',
    (page) => {
      const blocks = [
        ...textOf(page).matchAll(/<!-- client: ([a-z-]+) -->\n```\w+\n([\s\S]*?)\n```\n<!-- \/client -->/g),
      ];
      const shown = Object.fromEntries(blocks.map((block) => [block[1]!, block[2]!]));
      expect(Object.keys(shown).sort()).toEqual([...CONFIG_CLIENTS].sort());
      for (const client of CONFIG_CLIENTS)
        expect([client, shown[client]]).toEqual([client, clientConfig(client, INPUT).text.trimEnd()]);
    },
  );
});

describe('links and names', () => {
  test('there are pages to look at', () => {
    expect(written.length).toBeGreaterThan(15);
    expect(linksIn(textOf('README.md')).length).toBeGreaterThan(10);
  });

  test('no relative link is dead', () => {
    const dead = all.flatMap((page) =>
      linksIn(textOf(page))
        .filter((link) => !/^[a-z]+:/.test(link))
        .filter((link) => {
          const [, anchor] = link.split('#');
          const target = link.startsWith('#') ? page : linked(page, link);
          if (target.startsWith('..') || !existsSync(join(ROOT, target))) return true;
          return anchor !== undefined && target.endsWith('.md') && !anchorsOf(textOf(target)).has(anchor);
        })
        .map((link) => `${page} → ${link}`),
    );
    expect(dead).toEqual([]);
  });

  test('every file, folder and script a page names is there', () => {
    // tools/call and tools/list are methods.
    const PATH = /^(?!tools\/(?:call|list)$)(?:apps|libs|tools|deploy|docs)\/[\w./-]+$/;
    const scripts = (JSON.parse(textOf('package.json')) as { scripts: Record<string, string> }).scripts;
    const lost = written.flatMap((page) => {
      const text = textOf(page);
      const fenced = [...text.matchAll(/\b(?:node|-f) ((?:apps|tools|deploy)\/[\w./-]+)/g)].map((m) => m[1]!);
      const paths = [...codesIn(proseOf(text)).filter((code) => PATH.test(code)), ...fenced];
      const runs = [...text.matchAll(/npm run ([a-z][\w:-]*)/g)].map((match) => match[1]!);
      return [
        ...paths.filter((path) => !existsSync(join(ROOT, path))),
        ...runs.filter((name) => !(name in scripts)).map((name) => `npm run ${name}`),
      ].map((name) => `${page}: ${name}`);
    });
    // Made by deploy/compose/init.mjs, never committed.
    const MADE = ['deploy/compose/.env'];
    expect(lost.filter((line) => !MADE.some((path) => line.endsWith(`: ${path}`)))).toEqual([]);
  });

  test('every setting a page names is in the reference', () => {
    const known = new Set(
      rowsOf(textOf('docs/reference/settings.md')).flatMap(([first]) => codesIn(first ?? '')),
    );
    // Of clients, of the build, of tests; the broker's passwords are named by user.
    const OTHERS =
      /^(?:ADAOS_ROOT_MCP_AUTH|NATS_PASSWORD_\S+|UPDATE_DOCS|E2E_TOPOLOGY|DIFFERENTIAL_RUNS|REQUIRE_\w+|RECORD_CLIENTS|CLAUDE_BIN|CODEX_BIN|MCP_AUDIT)$/;
    const unknown = written.flatMap((page) =>
      [
        ...codesIn(proseOf(textOf(page))).flatMap(
          (code) => /^([A-Z][A-Z0-9]*_[A-Z0-9_]+)(?:=.*)?$/.exec(code)?.slice(1, 2) ?? [],
        ),
        ...[...textOf(page).matchAll(/(?:^|\s)([A-Z][A-Z0-9]*_[A-Z0-9_]+)=\S/gm)].map((match) => match[1]!),
      ]
        .filter((name) => !known.has(name) && !OTHERS.test(name))
        .map((name) => `${page}: ${name}`),
    );
    expect(unknown).toEqual([]);
  });
});

describe('claims that name their proof', () => {
  test('every bound of the limits guide stands in its file', () => {
    const PAGE = 'docs/guides/limits.md';
    const rows = rowsOf(textOf(PAGE)).filter((row) => row[3]?.startsWith('['));
    expect(rows.length).toBeGreaterThan(40);
    const wrong = rows.filter(
      ([, , literal, link]) =>
        !textOf(linked(PAGE, linksIn(link!)[0]!)).includes(codesIn(literal!)[0] ?? '\0'),
    );
    expect(wrong.map(([what, , literal]) => `${what}: ${literal}`)).toEqual([]);
  });

  test('every defence of the security page has its test, by title', () => {
    const PAGE = 'docs/04-security.md';
    const rows = rowsOf(textOf(PAGE)).filter((row) => row[2]?.startsWith('['));
    expect(rows.length).toBeGreaterThan(25);
    const unproved = rows.flatMap(([threat, , proof]) =>
      proof!
        .split(/;\s*(?=\[)/)
        .flatMap((part) => codesIn(part).map((title) => ({ title, file: linked(PAGE, linksIn(part)[0]!) })))
        .filter(({ title, file }) => !textOf(file).includes(title))
        .map(({ title, file }) => `${threat}: ${file} has no "${title}"`),
    );
    expect(unproved).toEqual([]);
  });
});
