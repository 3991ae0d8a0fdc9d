import type { HostError } from '../../shared/remote/connection.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { Link } from '../link/link.ts';
import { type AgentBuild, archOf } from './agent-build.ts';
import { type ChosenPlaces, choosePlaces } from './choose-places.ts';
import { folderName } from './folder-script.ts';
import type { HostLook, Place } from './host-look.ts';
import { putAgent } from './put-agent.ts';

/** The agent in its place. */
export interface Deployed {
  readonly build: AgentBuild;
  readonly agentPath: string;
  readonly agentPlace: string;
  /** Ours, for traces. */
  readonly baseFolder: string;
  /** All of ours, on all places. */
  readonly baseFolders: readonly string[];
  readonly traces: Place;
  readonly uploaded: boolean;
}

/** The agent for a host: `not-linux`, `unsupported-architecture`, `no-agent-built`. */
export function buildFor(
  look: HostLook,
  builds: readonly AgentBuild[],
): Result<AgentBuild, 'not-linux' | 'unsupported-architecture' | 'no-agent-built'> {
  if (look.system !== 'Linux') {
    const message = `This host runs ${look.system}: captures need Linux. Choose a Linux host.`;
    return fail('not-linux', message);
  }
  const arch = archOf(look.machine);
  if (arch === undefined) {
    const message = `This host is a ${look.machine}, and the agent is made for x86-64 and arm64: nothing was put there. Choose another host.`;
    return fail('unsupported-architecture', message);
  }
  const build = builds.find((each) => each.arch === arch);
  if (build !== undefined) return ok(build);
  const message = `This Stalltrace comes without the agent for ${look.machine}: install a released one, or build it (docs/agent.md).`;
  return fail('no-agent-built', message);
}

/**
 * Puts the agent on the host where it isn't there yet, makes our folders, and shakes hands with it.
 * `without`: places that it could not be started from, and why.
 */
export async function deployAgent(
  link: Link,
  look: HostLook,
  build: AgentBuild,
  options: {
    readonly signal: AbortSignal;
    readonly without: ReadonlyMap<string, string>;
    progress(text: string): void;
  },
): Promise<Result<Deployed, HostError | 'cancelled'>> {
  const without = new Map(options.without);
  for (;;) {
    const chosen = choosePlaces(look.places, build.bytes.length, without);
    if (!chosen.ok) return chosen;
    const put = await putAgent(link, build, chosen.value, { ...options, hasGzip: look.hasGzip });
    if (!put.ok) return put;
    if (put.value.kind !== 'failed') {
      return ok(describe(look, build, chosen.value, put.value.kind === 'put'));
    }
    const { place, why } = put.value;
    const { agent, traces } = chosen.value;
    if (place !== agent.path && place !== traces.path) {
      return fail(
        'deploy-failed',
        'The host named a path that Stalltrace did not ask about: try again.',
      );
    }
    without.set(place, `cannot be written to (${why})`);
  }
}

function describe(
  look: HostLook,
  build: AgentBuild,
  { agent, traces }: ChosenPlaces,
  uploaded: boolean,
): Deployed {
  const base = (place: Place) => baseFolderIn(place.path, look.uid);
  const used = look.places.filter((place) => place.ours || place === agent || place === traces);
  return {
    build,
    agentPath: `${base(agent)}/${build.folder}/stalltrace-agent`,
    agentPlace: agent.path,
    baseFolder: base(traces),
    baseFolders: used.map(base),
    traces,
    uploaded,
  };
}

/** Our folder in a place, whether it is there or not. */
export function baseFolderIn(place: string, uid: number): string {
  return `${place}/${folderName(uid)}`;
}
