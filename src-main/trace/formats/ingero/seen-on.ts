import { HOST_OP, SOURCE } from './op-codes.ts';
import type { RawEvents } from './raw-events.ts';

/** A number that more than one machine has. */
export const SEVERAL = -1;

/** The machine whose events name a process or thread of this number. */
export type SeenOn = (number: number) => number;

/** Ingero's tables of names and sums have no machine: they are of the one whose events have the number. */
export function seenOn(events: RawEvents, otherwise: number): SeenOn {
  if (events.node.length === 0) return () => otherwise;
  const nodes = new Map<number, number>();
  const see = (number: number, node: number) => {
    const known = nodes.get(number);
    if (known === undefined) nodes.set(number, node);
    else if (known !== node) nodes.set(number, SEVERAL);
  };
  for (let row = 0; row < events.rows; row++) {
    see(events.pid[row], events.node[row]);
    see(events.tid[row], events.node[row]);
    if (events.source[row] === SOURCE.host && namesAnother.has(events.op[row]))
      see(events.arg1[row], events.node[row]);
  }
  return (number) => nodes.get(number) ?? otherwise;
}

const namesAnother: ReadonlySet<number> = new Set([
  HOST_OP.schedSwitch,
  HOST_OP.wakeup,
  HOST_OP.oomKill,
  HOST_OP.fork,
]);
