import type { ConnectError } from '../../shared/remote/connection.ts';
import type { HostTarget } from '../../shared/remote/host-target.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';
import type { ConfigEnvironment } from './config-environment.ts';
import { evaluateConfig, type HostOptions } from './evaluate-config.ts';
import { hostFromOptions } from './host-from-options.ts';
import { parseJumps } from './jump-spec.ts';
import { MatchCommands } from './match-commands.ts';
import { readConfig, type SshConfig } from './read-config.ts';
import type { ResolveOptions } from './resolve-options.ts';
import type { ResolvedHost } from './resolved-host.ts';

type Resolved = Result<ResolvedHost, ConnectError | 'cancelled'>;

/** More hops than anybody has: a chain that grows without end. */
const MOST_HOPS = 16;

/** `target` with all that the SSH configuration says of it and of the hops before it. Never throws. */
export async function resolveHost(target: HostTarget, options: ResolveOptions): Promise<Resolved> {
  const config = readConfig(options.environment);
  if (config.refused !== undefined) return fail('config-unreadable', config.refused);
  const commands = new MatchCommands(options);
  const resolver = new Resolver(config, commands, options.environment);
  return resolver.resolve(target, jumpText(target.jumps), []);
}

function jumpText(jumps: readonly string[] | undefined): string | undefined {
  return jumps === undefined ? undefined : jumps.length === 0 ? 'none' : jumps.join(',');
}

class Resolver {
  readonly #config: SshConfig;
  readonly #commands: MatchCommands;
  readonly #environment: ConfigEnvironment;

  constructor(config: SshConfig, commands: MatchCommands, environment: ConfigEnvironment) {
    this.#config = config;
    this.#commands = commands;
    this.#environment = environment;
  }

  /** `after`: the hosts that are reached through this one, as `user@host:port`, the last one first. */
  async resolve(
    target: HostTarget,
    jump: string | undefined,
    after: readonly string[],
  ): Promise<Resolved> {
    const question = {
      name: target.name,
      ...(target.user === undefined ? {} : { user: target.user }),
      ...(target.port === undefined ? {} : { port: target.port }),
      ...(target.identityFiles === undefined ? {} : { identityFiles: target.identityFiles }),
      ...(jump === undefined ? {} : { jump }),
    };
    const evaluated = await this.#commands.settle((exec) =>
      evaluateConfig(this.#config, question, this.#environment, exec),
    );
    if (!evaluated.ok) return evaluated;
    const host = hostFromOptions(target, evaluated.value, this.#environment);
    const declined = this.#commands.declined ? { matchExecDeclined: true } : {};
    const here = `${host.user}@${host.hostName}:${host.port}`;
    if (after.includes(here) || after.length > MOST_HOPS) return circle(here);
    const jumps = await this.#jumps(evaluated.value, [...after, here]);
    return jumps.ok ? ok({ ...host, ...declined, jumps: jumps.value }) : jumps;
  }

  /** As ssh does: the last hop is told the ones before it; the first one's own configuration counts. */
  async #jumps(
    options: HostOptions,
    after: readonly string[],
  ): Promise<Result<readonly ResolvedHost[], ConnectError | 'cancelled'>> {
    const hops = options.proxyJump === undefined ? [] : parseJumps(options.proxyJump);
    if (hops === undefined) {
      return fail(
        'config-unreadable',
        `The jump hosts of ${cleanText(options.name)} can't be read (${cleanText(options.proxyJump ?? '', 100)}): write them as user@host:port, separated by commas.`,
      );
    }
    const last = hops.at(-1);
    if (last === undefined) return ok([]);
    const before = hops.slice(0, -1);
    const extra =
      before.length === 0 ? undefined : (options.proxyJump ?? '').replace(/,[^,]*$/, '');
    const hop = await this.resolve(last, extra, after);
    return hop.ok ? ok([...hop.value.jumps, { ...hop.value, jumps: [] }]) : hop;
  }
}

function circle(here: string): Result<never, ConnectError> {
  return fail(
    'config-unreadable',
    `The jump hosts of the SSH configuration lead in a circle over ${cleanText(here)}: give its Host entry “ProxyJump none”.`,
  );
}
