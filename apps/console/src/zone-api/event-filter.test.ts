import { expect, test } from '@jest/globals';
import { toolOf } from '@adaos/contracts';
import { auditQuery, FILTER_NAMES, filterOf } from './event-filter.js';

test('a URL round-trips into the arguments of the tool', () => {
  const filter = filterOf(
    new URLSearchParams('status=denied&tool=%20hub.get_logs%20&lease=&event=evt_1&x=y'),
  );
  expect(filter).toEqual({ status: 'denied', tool: 'hub.get_logs' });
  expect(auditQuery(filter, 50, 'c')).toBe('limit=50&status=denied&tool_id=hub.get_logs&cursor=c');
});

test('every filter is an argument that the tool knows', () => {
  const { properties } = toolOf('operations.list_recent_events').contract.input_schema as {
    properties: Record<string, unknown>;
  };
  const all = Object.fromEntries(FILTER_NAMES.map((name) => [name, 'x']));
  const names = [...new URLSearchParams(auditQuery(all, 1, 'c')).keys()];
  expect(names.length).toBe(FILTER_NAMES.length + 2);
  expect(names.filter((name) => !Object.hasOwn(properties, name))).toEqual([]);
});
