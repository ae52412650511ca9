import { ConfigError } from '@adaos/runtime';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { isNode, LineCounter, parseDocument, type Document } from 'yaml';
import { AgentConfig } from './agent-config.js';
import { OWN_SECRETS } from './config.js';

// Unlike the wire's validator this one reports every fault at once: a person edits the file.
const ajv = new Ajv2020({
  allErrors: true,
  useDefaults: true,
  discriminator: true,
  strict: true,
  strictRequired: false,
  keywords: ['x-class'],
});
const check = ajv.compile<AgentConfig>(AgentConfig);

type Path = readonly (string | number)[];
interface Problem {
  readonly path: Path;
  readonly text: string;
}

/**
 * Reads the hub's file. Relative paths count from the file's directory; names in `env_allow` are looked up in `env` here, once, and
 * nothing else of `env` is kept. Throws ConfigError with all problems, each with its line.
 */
export function parseAgentConfig(
  text: string,
  from: { file: string; env?: Readonly<Record<string, string | undefined>> },
): AgentConfig {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const place = (line: number | undefined) => (line === undefined ? from.file : `${from.file}:${line}`);
  if (document.errors.length) {
    throw new ConfigError(
      document.errors.map((e) => `${place(e.linePos?.[0].line)}: ${e.message.split('\n')[0]}`),
    );
  }
  const value: unknown = document.toJS();
  const problems = check(value) ? meaning(value) : (check.errors ?? []).flatMap(fault);
  if (problems.length) {
    throw new ConfigError(
      problems.map(({ path, text: what }) =>
        [`${place(lineOf(document, lines, path))}:`, path.join('.'), what].filter(Boolean).join(' '),
      ),
    );
  }
  return Object.freeze(resolved(value as AgentConfig, dirname(resolve(from.file)), from.env ?? {}));
}

/** One schema error in the words of the file. */
function fault({ instancePath, keyword, params, message }: ErrorObject): Problem[] {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((key) => (/^\d+$/.test(key) ? Number(key) : unescape(key)));
  const extra = params as Record<string, unknown>;
  if (keyword === 'additionalProperties')
    return [{ path: [...path, String(extra['additionalProperty'])], text: 'is not a setting' }];
  if (keyword === 'required')
    return [{ path: [...path, String(extra['missingProperty'])], text: 'is missing' }];
  if (keyword === 'discriminator') return [{ path: [...path, 'kind'], text: 'must name a known kind' }];
  return [{ path, text: message ?? 'is not valid' }];
}

const unescape = (key: string) => key.replaceAll('~1', '/').replaceAll('~0', '~');

/** What no schema can say: names are unique and refer to something, file sources lie in a log root. */
function meaning(config: AgentConfig): Problem[] {
  const problems: Problem[] = [];
  const services = new Set(config.services.map((service) => service.name));
  for (const list of ['services', 'health_checks', 'log_sources'] as const) {
    const seen = new Set<string>();
    config[list].forEach(({ name }, i) => {
      if (seen.has(name)) problems.push({ path: [list, i, 'name'], text: `"${name}" is used twice` });
      seen.add(name);
    });
  }
  for (const list of ['health_checks', 'log_sources'] as const) {
    config[list].forEach((entry, i) => {
      if (entry.kind === 'service' && !services.has(entry.service))
        problems.push({ path: [list, i, 'service'], text: `names no service: "${entry.service}"` });
    });
  }
  config.log_sources.forEach((source, i) => {
    if (source.kind === 'file' && !config.log_roots.some((root) => isInside(root, source.path)))
      problems.push({ path: ['log_sources', i, 'path'], text: 'lies in none of log_roots' });
  });
  config.services.forEach((service, i) => {
    for (const name of service.env_allow ?? [])
      if (OWN_SECRETS.includes(name))
        problems.push({
          path: ['services', i, 'env_allow'],
          text: `may not pass on ${name}, the agent's own secret`,
        });
  });
  return problems;
}

/** Whether `path` is below `root` by whole segments: `/var/log/app-secret` is not inside `/var/log/app` (field case F21). */
export function isInside(root: string, path: string): boolean {
  const way = relative(resolve(root), resolve(path));
  return way !== '' && way !== '..' && !way.startsWith('../') && !isAbsolute(way);
}

function resolved(
  config: AgentConfig,
  base: string,
  env: Readonly<Record<string, string | undefined>>,
): AgentConfig {
  const at = (path: string) => resolve(base, path);
  return {
    ...config,
    ...(config.disk_path !== undefined && { disk_path: at(config.disk_path) }),
    log_roots: config.log_roots.map(at),
    log_sources: config.log_sources.map((s) => (s.kind === 'file' ? { ...s, path: at(s.path) } : s)),
    health_checks: config.health_checks.map((c) =>
      c.kind === 'http' && c.ca_file !== undefined ? { ...c, ca_file: at(c.ca_file) } : c,
    ),
    services: config.services.map((service) => {
      const passed = (service.env_allow ?? []).flatMap((name) => {
        const value = env[name];
        return value === undefined ? [] : [[name, value] as const];
      });
      return { ...service, cwd: at(service.cwd), env: { ...Object.fromEntries(passed), ...service.env } };
    }),
  };
}

/** Line of the nearest part of the path that stands in the file. */
function lineOf(document: Document, lines: LineCounter, path: Path): number | undefined {
  for (let length = path.length; length >= 0; length--) {
    const node = length ? document.getIn(path.slice(0, length), true) : document.contents;
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return undefined;
}
