import type { Bus } from '@adaos/bus';
import { createInProcessBroker, type InProcessBroker } from '@adaos/bus/in-process';

/** An in-process broker that counts what is sent: who, how, to which subject. */
export interface CountedBroker extends InProcessBroker {
  /** What was sent since the last look, each kind with its number. */
  taken(): Record<string, number>;
}

export function countedBroker(): CountedBroker {
  const broker = createInProcessBroker();
  let sent = new Map<string, number>();

  return {
    connect(user, hub_id) {
      const bus = broker.connect(user, hub_id);
      const count = (how: string, subject: string) => {
        const kind = `${user} ${how} ${subject}`;
        sent.set(kind, (sent.get(kind) ?? 0) + 1);
      };
      const counted: Pick<Bus, 'request' | 'publish' | 'append'> = {
        request(subject, body, options) {
          count('asks', subject);
          return bus.request(subject, body, options);
        },
        publish(subject, body, headers) {
          count('tells', subject);
          bus.publish(subject, body, headers);
        },
        append(subject, body, options) {
          count('appends', subject);
          return bus.append(subject, body, options);
        },
      };
      return Object.assign(Object.create(bus) as Bus, counted);
    },
    close: () => broker.close(),
    taken() {
      const taken = Object.fromEntries([...sent].sort(([a], [b]) => a.localeCompare(b)));
      sent = new Map();
      return taken;
    },
  };
}
