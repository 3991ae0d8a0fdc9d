import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { LinkOrder, LinkReport, LinkSettings, LinkStart } from './slow-link-proxy.ts';

/** A network between a test and a port of this machine, in a process of its own. */
export interface SlowLink {
  /** Connect here, on 127.0.0.1 or the `host` it was started with. */
  readonly port: number;
  /** From now on; bytes under way keep their time. */
  set(settings: LinkSettings): Promise<LinkTraffic>;
  /** Ends every connection at hand; new ones are taken at once. */
  cut(how?: 'rst' | 'fin'): Promise<LinkTraffic>;
  /** Nothing passes either way and nobody is told, until `thaw`; nothing is lost meanwhile. */
  freeze(): Promise<LinkTraffic>;
  thaw(): Promise<LinkTraffic>;
  /** Whether new connections are taken; else they are refused. Those at hand go on. */
  listen(on: boolean): Promise<LinkTraffic>;
  close(): Promise<void>;
}

/** Bytes passed on since it was started, and connections at hand. */
interface LinkTraffic {
  /** To the server. */
  readonly up: number;
  readonly down: number;
  readonly open: number;
}

interface SlowLinkOptions extends Partial<LinkSettings> {
  readonly toPort: number;
  readonly toHost?: string;
  /** Where it listens. */
  readonly host?: string;
}

async function hear<K extends LinkReport['kind']>(
  child: ChildProcess,
  kind: K,
): Promise<Extract<LinkReport, { kind: K }>> {
  const [report] = (await once(child, 'message')) as [LinkReport];
  if (report.kind !== kind) throw new Error(`the slow link said ${report.kind}`);
  return report as Extract<LinkReport, { kind: K }>;
}

/**
 * A TCP proxy to `toPort` that adds `oneWayDelayMs` each way without limiting throughput, or limits
 * it to `bytesPerSecond` each way.
 */
export async function startSlowLink(options: SlowLinkOptions): Promise<SlowLink> {
  const { toPort, toHost = '127.0.0.1', host = '127.0.0.1', oneWayDelayMs = 0 } = options;
  const { bytesPerSecond } = options;
  const program = fileURLToPath(new URL('./slow-link-proxy.ts', import.meta.url));
  const child = fork(program, { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const settings = { oneWayDelayMs, ...(bytesPerSecond !== undefined && { bytesPerSecond }) };
  child.send({ host, toHost, toPort, settings } satisfies LinkStart);
  const { port } = await hear(child, 'port');
  // One order at a time: each answer belongs to the order before it.
  let last: Promise<unknown> = Promise.resolve();
  const order = (wanted: LinkOrder): Promise<LinkTraffic> => {
    const answer = last.then(() => {
      child.send(wanted);
      return hear(child, 'done');
    });
    last = answer.catch(() => undefined);
    return answer;
  };
  return {
    port,
    set: (next) => order({ kind: 'set', settings: next }),
    cut: (how = 'rst') => order({ kind: 'cut', how }),
    freeze: () => order({ kind: 'freeze' }),
    thaw: () => order({ kind: 'thaw' }),
    listen: (on) => order({ kind: 'listen', on }),
    close: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.disconnect();
      await gone;
    },
  };
}
