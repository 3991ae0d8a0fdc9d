import { randomBytes } from 'node:crypto';
import type { HostError } from '../../shared/remote/connection.ts';
import type { MeasuredOffset } from '../../shared/remote/measured-clock.ts';
import type { Preflight } from '../../shared/remote/preflight.ts';
import { ok, type Result } from '../../shared/rpc/result.ts';
import { removeBases } from '../capture/clean-up.ts';
import { type AgentBuild, readAgentBuilds } from '../deploy/agent-build.ts';
import { baseFolderIn, buildFor, type Deployed, deployAgent } from '../deploy/deploy-agent.ts';
import { type HostLook, parseLook } from '../deploy/host-look.ts';
import { lookScript } from '../deploy/look-script.ts';
import type { Ask } from '../link/ask.ts';
import type { Link } from '../link/link.ts';
import { couldNotStart, type HostCommands, hostCommands } from '../shell/create-session.ts';
import { type FoundPrivilege, findPrivilege } from '../shell/find-privilege.ts';
import type { HostSession } from '../shell/host-session.ts';
import { runScript } from '../shell/run-script.ts';
import { transportOf } from '../shell/transport-of.ts';
import { askAgent } from './agent-json.ts';
import { type CheckReport, checkReport } from './check-report.ts';
import { describeHost } from './describe-host.ts';
import { type ClockOffset, measureClock } from './measure-clock.ts';
import { runningCaptures } from './running-captures.ts';

/** sudo may ask a directory over the network before it says that it wants a password. */
const LOOK_TIMEOUT_MS = 60_000;
/** Whoever cancelled waits for it. */
const TAKE_AWAY_WITHIN_MS = 10_000;

export interface SessionOptions {
  /** `linux-x64/stalltrace-agent`, … and `status.json`. */
  readonly agentsFolder: string;
  /** For sudo's password, where it wants one. */
  readonly ask: Ask;
  readonly signal: AbortSignal;
  /** What is being done, for people: “Putting the agent on the host: 1.2 MiB of 1.4 MiB.” */
  progress(text: string): void;
}

type Failed = HostError | 'cancelled';

/**
 * Looks at a host that is signed in to, finds the way to root's rights, puts the agent there and has
 * it try what it can. What keeps a capture from being complete is no failure: it is in the preflight.
 */
export async function openSession(
  link: Link,
  options: SessionOptions,
): Promise<Result<HostSession, Failed>> {
  const builds = await readAgentBuilds(options.agentsFolder);
  if (!builds.ok) return builds;
  options.progress('Looking at the host.');
  const look = await lookAtHost(link, builds.value, options.signal);
  if (!look.ok) return look;
  const build = buildFor(look.value, builds.value);
  if (!build.ok) return build;
  const { uid, user, sudo } = look.value;
  const found = await findPrivilege(
    link,
    { uid, user, hasSudo: sudo !== undefined, ...(sudo && { trial: sudo }) },
    options,
  );
  if (!found.ok) return found;
  const session = await useAgent(link, look.value, build.value, found.value, options);
  if (!session.ok) await takeAway(link, look.value, hostCommands(link, '', found.value));
  return session;
}

async function lookAtHost(
  link: Link,
  builds: readonly AgentBuild[],
  signal: AbortSignal,
): Promise<Result<HostLook, Failed>> {
  const transport = await transportOf(link, signal);
  if (!transport.ok) return transport;
  const agents = (['x64', 'arm64'] as const).flatMap((arch) => {
    const build = builds.find((each) => each.arch === arch);
    return [build?.folder ?? '', build?.sha256 ?? ''];
  });
  const words = [randomBytes(16).toString('hex'), ...agents];
  const ran = await runScript(transport.value, lookScript, words, {
    signal,
    timeoutMs: LOOK_TIMEOUT_MS,
  });
  return ran.ok ? parseLook(ran.value.stdout) : ran;
}

async function useAgent(
  link: Link,
  look: HostLook,
  build: AgentBuild,
  found: FoundPrivilege,
  options: SessionOptions,
): Promise<Result<HostSession, Failed>> {
  const checked = await deployAndCheck(link, look, build, found, options);
  if (!checked.ok) return checked;
  return completeSession(link, look, found, checked.value, options);
}

/**
 * What was put there, and nobody waits for any more or can be used, goes again; our folders that were
 * there before stay as they are.
 */
async function takeAway(link: Link, { uid, places }: HostLook, commands: HostCommands) {
  if (link.state.kind !== 'connected') return;
  const bases = places.filter(({ ours }) => !ours).map(({ path }) => baseFolderIn(path, uid));
  await removeBases(commands, bases, AbortSignal.timeout(TAKE_AWAY_WITHIN_MS));
}

interface Checked {
  readonly deployed: Deployed;
  readonly commands: HostCommands;
  readonly report: CheckReport;
  readonly asRoot: boolean;
}

/**
 * Puts the agent into a place that it can be started from by the rights that it will have: a home on NFS
 * may be closed to root.
 */
async function deployAndCheck(
  link: Link,
  look: HostLook,
  build: AgentBuild,
  found: FoundPrivilege,
  options: SessionOptions,
): Promise<Result<Checked, Failed>> {
  const asRoot = found.privilege === 'root' || found.elevation.kind !== 'none';
  const without = new Map<string, string>();
  for (;;) {
    const { signal, progress } = options;
    const put = await deployAgent(link, look, build, { signal, progress, without });
    if (!put.ok) return put;
    const deployed = put.value;
    const commands = hostCommands(link, deployed.agentPath, found);
    options.progress('Trying what the kernel allows.');
    const report = await askAgent(commands, ['check', '--json'], checkReport, { asRoot, signal });
    if (report.ok) return ok({ deployed, commands, report: report.value, asRoot });
    if (!couldNotStart(report.error) || !asRoot) return report;
    without.set(deployed.agentPlace, 'is closed to root');
  }
}

async function completeSession(
  link: Link,
  look: HostLook,
  found: FoundPrivilege,
  { deployed, commands, report, asRoot }: Checked,
  options: SessionOptions,
): Promise<Result<HostSession, Failed>> {
  const { signal } = options;
  options.progress('Looking for other captures, and at the clock.');
  const { baseFolder, baseFolders } = deployed;
  const [captures, clock] = await Promise.all([
    runningCaptures({ ...commands, baseFolder, baseFolders }, { asRoot, signal }),
    clockOf(link, signal),
  ]);
  if (!captures.ok) return captures;
  const findings = { look, found, asRoot, deployed, report, clock, captures: captures.value };
  const preflight: Preflight = describeHost(findings);
  return ok({
    link,
    bootId: look.bootId,
    userName: look.user,
    loginShell: look.loginShell,
    baseFolder,
    baseFolders,
    agentPath: deployed.agentPath,
    privilege: found.privilege,
    preflight,
    ...(clock !== undefined && { clock: inNs(clock) }),
    async measureClock(signal) {
      const offset = await clockOf(link, signal);
      return offset && inNs(offset);
    },
    ...commands,
  });
}

const inNs = ({ offsetMs, uncertaintyMs }: ClockOffset): MeasuredOffset => ({
  offsetNs: Math.round(offsetMs * 1e6),
  uncertaintyNs: Math.ceil(uncertaintyMs * 1e6),
  measuredAt: new Date().toISOString(),
});

async function clockOf(link: Link, signal: AbortSignal): Promise<ClockOffset | undefined> {
  const transport = await transportOf(link, signal);
  return transport.ok ? measureClock(transport.value, signal) : undefined;
}
