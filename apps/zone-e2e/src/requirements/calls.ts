import { row, SCENARIOS, type Requirement } from './requirement.js';

const scenario = (id: string, must: string, title: string) =>
  row(id, must, 'both', `${SCENARIOS}/calls.suite.ts`, title);
const spine = (id: string, must: string, file: string, title: string) =>
  row(id, must, 'embedded', `apps/zone-e2e/src/${file}`, title);
const unit = (id: string, must: string, file: string, title: string) => row(id, must, 'unit', file, title);
const MCP = 'apps/zonal-facade/src/mcp';

/** One call through both eras: progress, cancel, tasks, multi-round trips. */
export const CALLS: readonly Requirement[] = [
  scenario(
    'calls.progress',
    'Progress reaches the client in both eras',
    'a restart tells its steps to the client; modern era: %s',
  ),
  spine(
    'calls.progress_own',
    'A hub can not report progress of a call it does not run',
    'calls.test.ts',
    'progress of a hub counts for the calls it runs, and for no other',
  ),
  unit(
    'calls.progress_bounded',
    'Progress grows, is bounded in rate and masked, and nothing follows the result',
    'apps/router/src/progress-gate.test.ts',
    'a burst passes, the rest is cut to about four a second and the newest of it is kept',
  ),
  scenario(
    'calls.form',
    'Missing arguments are asked for where the client takes forms',
    'an argument that is missing is asked for, and the call runs with the answer',
  ),
  scenario(
    'calls.state_bound',
    'A sealed state opens for its own bearer alone',
    'a state of another bearer is refused, on any replica, and recorded',
  ),
  unit(
    'calls.state_refused',
    'A requestState that was tampered with, is foreign or of another call is -32602 and an event',
    `${MCP}/multi-round.test.ts`,
    '%s is refused by name, on record, and nothing runs',
  ),
  unit(
    'calls.state_expires',
    'A requestState runs out',
    `${MCP}/request-state.test.ts`,
    'runs out after ten minutes',
  ),
  unit(
    'calls.approval_round',
    'An approval becomes a link or a question, and is believed of router alone',
    `${MCP}/multi-round.test.ts`,
    'become a link where the client opens links, and the retry carries the approval',
  ),
  row(
    'calls.approval_link',
    'A client is led through an approval to the change itself',
    'both',
    `${SCENARIOS}/approvals.suite.ts`,
    'a client that opens links is sent to the approval, and its retry runs once it is given',
  ),
  spine(
    'calls.hub_asks_nobody',
    'A hub can not put questions before a user',
    'calls.test.ts',
    'a hub may not put questions before a user',
  ),
  scenario(
    'calls.cancel',
    'A write whose client leaves or cancels is never half done, and holds no slot',
    'a write whose client %s is seen to its end, and its slot is free again',
  ),
  unit(
    'calls.cancel_any_replica',
    'notifications/cancelled ends the call on whichever replica holds it (F04 b)',
    `${MCP}/cancel.test.ts`,
    'a cancel reaches the call wherever it is held',
  ),
  unit(
    'calls.cancel_own',
    'A cancel ends no call of another bearer or client (F04 c, d)',
    `${MCP}/cancel.test.ts`,
    'two calls of one lease with the same id, on two replicas: neither is stopped, nor is another bearer’s',
  ),
  unit(
    'calls.cancel_stream',
    'Closing the response stream cancels (F04 a)',
    `${MCP}/cancel.test.ts`,
    'a client that leaves its stream cancels the call behind it',
  ),
  scenario(
    'calls.task',
    'A long write is a task of its lease for clients that declare tasks',
    'a restart goes on as a task for a client that takes tasks; the record knows it',
  ),
  spine(
    'calls.task_survives',
    'A task survives the router that ran it',
    'runs.test.ts',
    'gets its result from the journal of the hub',
  ),
  spine(
    'calls.task_own',
    'A task of another lease does not exist',
    'runs.test.ts',
    'belongs to its lease: to another it does not exist, and an operator sees no result',
  ),
  spine(
    'calls.task_revoked',
    'Revocation withholds the result of a task',
    'runs.test.ts',
    'a lease taken back while it goes on: no result is kept, and the run is out of reach',
  ),
];
