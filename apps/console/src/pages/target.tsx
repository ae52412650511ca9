import type { ManagedTarget } from '@adaos/contracts';
import { Badge, Tag } from '../parts/badge.js';
import { Link } from '../parts/link.js';
import { Facts, Page, Panel } from '../parts/page.js';
import { Empty, FailureNote, Loading } from '../parts/states.js';
import { ToolList } from '../parts/tool-list.js';
import { Code, None, Text, Time } from '../parts/words.js';
import { href } from '../route.js';
import { Services } from '../targets/services.js';
import { SkillSwitch } from '../targets/skill-switch.js';
import { lookOf, SKILL_LOOKS, TARGET_LOOKS } from '../text/looks.js';
import { useSurface, type Surface } from '../zone-api/zone.js';

/** One target: what it publishes and why not more, its services, its skill switched on or off. */
export function TargetPage({ target_id }: { target_id: string }) {
  const { data, error, refetch } = useSurface(target_id);
  return (
    <Page
      title={data?.target.title ?? target_id}
      aside={
        data && (
          <>
            <Badge look={lookOf(TARGET_LOOKS, data.target.status)} />
            <Tag>{data.target.environment}</Tag>
            <span className="page-acts">
              <Link className="button" to={href(['events'], { target: target_id })}>
                Events
              </Link>
              <Link className="button" to={href(['leases', 'new'], { target: target_id })}>
                Issue a lease
              </Link>
              <SkillSwitch target={data.target} />
            </span>
          </>
        )
      }
    >
      {error && !data && (
        <FailureNote title="The target could not be read." error={error} retry={() => void refetch()} />
      )}
      {!data && !error && <Loading what="the target" lines={10} />}
      {data && (
        <div className="target">
          <div>
            <Published tools={data.published} />
            <Services target={data.target} />
          </div>
          <div>
            {data.withheld.length > 0 && <Withheld tools={data.withheld} />}
            <About target={data.target} />
          </div>
        </div>
      )}
    </Page>
  );
}

const Published = ({ tools }: { tools: Surface['published'] }) => (
  <Panel title={`Published tools (${tools.length})`}>
    {tools.length === 0 ? (
      <Empty title="Nothing is published: every call to the hub is refused." />
    ) : (
      <ToolList tools={tools} />
    )}
  </Panel>
);

/** Every other tool that a hub could publish, with the first reason why this one does not. */
const Withheld = ({ tools }: { tools: Surface['withheld'] }) => (
  <Panel title={`Withheld tools (${tools.length})`}>
    <dl className="withheld">
      {tools.map(({ tool_id, reason }) => (
        <div key={tool_id}>
          <dt>
            <Code>{tool_id}</Code>
          </dt>
          <dd>
            <Text>{reason}</Text>
          </dd>
        </div>
      ))}
    </dl>
  </Panel>
);

function About({ target }: { target: ManagedTarget }) {
  const { transport, policy, operational_surface: surface, reported } = target;
  const agent_version = reported?.['agent_version'];
  return (
    <Panel title="About">
      <Facts
        rows={[
          ['Target', <Code key="id">{target.target_id}</Code>],
          ['Subnet', <Text key="subnet">{target.subnet_id}</Text>],
          ['Owner', <Text key="owner">{target.owner}</Text>],
          [
            'Skill',
            <span key="skill" className="together">
              <Badge look={lookOf(SKILL_LOOKS, surface.skill.state)} />
              <Text>{`${surface.skill.name} ${surface.skill.version}`}</Text>
            </span>,
          ],
          [
            'Agent',
            typeof agent_version === 'string' ? <Text>{agent_version}</Text> : <None>not reported yet</None>,
          ],
          ['Health', target.health],
          ['Last seen', timeOr(transport.last_seen_at)],
          ['Connected', timeOr(transport.connected_at)],
          ['Write scope', policy.write_scope],
          ['Approval', policy.approval === 'writes' ? 'each change waits for an approver' : 'none'],
          ['Services allowed', names(policy.allowed_services)],
        ]}
      />
    </Panel>
  );
}

const timeOr = (at: string | null) => (at === null ? <None>never</None> : <Time at={at} />);

const names = (list: readonly string[]) =>
  list.length === 0 ? <None>none</None> : list.map((name) => <Code key={name}>{name}</Code>);
