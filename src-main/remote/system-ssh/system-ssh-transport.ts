import { fail, type Result } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';
import type { ResolvedHost } from '../config/resolved-host.ts';
import { hostAddress } from '../transport/host-address.ts';
import type { Channel, ExecError, Transport, TransportEnd } from '../transport/transport.ts';
import { openChannel } from './channel.ts';
import { endOfConnection } from './failure.ts';
import type { SshFolder } from './folder.ts';
import type { SshMaster } from './master.ts';

export interface SystemTransportParts {
  readonly host: ResolvedHost;
  readonly program: string;
  readonly env: NodeJS.ProcessEnv;
  readonly folder: SshFolder;
  /** Absent on Windows, whose ssh can't share a connection: there each command has one of its own. */
  readonly master?: SshMaster;
  /** What comes before the host and the command; `logFile` is for that command alone. */
  readonly channelArguments: (logFile: string) => readonly string[];
  /** ssh's log of signing in. */
  readonly log: string;
}

/** Commands over a connection that `ssh` holds. */
export class SystemTransport implements Transport {
  readonly kind = 'system';
  readonly facts: Transport['facts'];
  readonly ended: Promise<TransportEnd>;
  readonly #parts: SystemTransportParts;
  readonly #channels = new Set<Channel>();
  readonly #end: (end: TransportEnd) => void;
  #over = false;
  #count = 0;

  constructor(parts: SystemTransportParts) {
    this.#parts = parts;
    this.facts = factsOf(parts.host, parts.log);
    const { promise, resolve } = Promise.withResolvers<TransportEnd>();
    this.ended = promise;
    this.#end = resolve;
    const { master } = parts;
    void master?.ended.then(() =>
      this.#finish({ why: endOfConnection(parts.host, master.words()), wanted: false }),
    );
  }

  async exec(command: string): Promise<Result<Channel, ExecError>> {
    if (this.#over) return fail('link-lost', 'The connection to the host is gone.');
    const { program, env, folder, host, channelArguments } = this.#parts;
    const logFile = folder.file(`c${++this.#count}.log`);
    const args = [...channelArguments(logFile), '--', host.name, command];
    const opened = await openChannel({ program, args, logFile, env });
    if (!opened.ok) {
      // Without a shared connection this is how it shows that the host is out of reach.
      if (opened.error.code === 'link-lost' && this.#parts.master === undefined) {
        this.#finish({
          why: `${cleanText(opened.error.detail ?? opened.error.message, 300)}`,
          wanted: false,
        });
      }
      return opened;
    }
    const channel = opened.value;
    if (this.#over) {
      channel.close();
      return fail('link-lost', 'The connection to the host is gone.');
    }
    this.#channels.add(channel);
    void channel.exit.then(() => this.#channels.delete(channel));
    return opened;
  }

  close(): void {
    this.#finish({ why: 'The connection was closed.', wanted: true });
  }

  #finish(end: TransportEnd): void {
    if (this.#over) return;
    this.#over = true;
    const { master, folder } = this.#parts;
    for (const channel of this.#channels) channel.close();
    this.#end(end);
    master?.close();
    if (master === undefined) folder.remove();
    else void master.ended.then(() => folder.remove());
  }
}

/** From ssh's log at DEBUG1, each line of which begins with what ssh itself says. */
function factsOf(host: ResolvedHost, log: string): Transport['facts'] {
  const method = [...log.matchAll(/^Authenticated to .* using "([\w,-]+)"/gm)].at(-1)?.[1];
  const accepted = [...log.matchAll(/^debug1: Server accepts key: (.+) (\S+) SHA256:\S+/gm)].at(-1);
  const key = /^debug1: Server host key: (\S+) (SHA256:\S+)/m.exec(log);
  const words = method ?? 'ssh';
  const file = method === 'publickey' ? accepted?.[1] : undefined;
  return {
    ...(key === null
      ? {}
      : { hostKey: { type: cleanText(key[1] ?? '', 80), fingerprint: key[2] ?? '' } }),
    signedInWith: file === undefined ? words : `${words} (${cleanText(file, 200)})`,
    via: host.jumps.map(hostAddress),
  };
}
