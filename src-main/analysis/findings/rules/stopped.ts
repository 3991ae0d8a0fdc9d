import type { Evidence, Fix } from '../../../shared/answers/diagnosis.ts';
import type { TimeSpan } from '../../../shared/answers/summary.ts';
import { NONE } from '../../../shared/model/schema.ts';
import { percentiles } from '../../../shared/numbers/percentile.ts';
import { formatDuration, plural } from '../../../shared/text/units.ts';
import { wakerOf } from '../../chain/wakes.ts';
import { isInFreezer } from '../../threads/freezer.ts';
import { readyNsOf } from '../../threads/off-cpu-row.ts';
import { isTracedStop, stopsOf } from '../../threads/stops.ts';
import { claimed, evidence, refsTo } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { isWorthTelling, loopText, processText, shareText } from '../facts/job-shape.ts';
import { idleDevice } from '../judging/links.ts';
import { completeSwitches } from '../judging/needs.ts';
import type { Judgement, Rule } from '../rule.ts';

/**
 * The training process, or a worker it waited for, was stopped as a whole: by a signal, as a limiter or a shell does,
 * by a debugger or a tracer, or by a control group that is frozen. Nothing of it runs, and no CPU is the matter.
 */
export const stopped: Rule = { id: 'stopped', needs: [completeSwitches], judge };

const isStopped = ({ cause }: CostCell) => cause === 'stopped';

/** Rows that a list shows of so many stops. */
const SHOWN = 50;

function judge(facts: RankFacts): Judgement | undefined {
  const cost = claimed(facts.costs, isStopped);
  const stops = stopsWithin(facts);
  if (!isWorthTelling(facts, cost.ns) || stops.ns.length === 0) return undefined;
  const [most] = stops.enders;
  const kind = kindOf(stops);
  const name = most && processText(facts.trace, most.process);
  const lost = shareText(facts, cost.ns);
  const [median] = percentiles(Float64Array.from(stops.ns), [50]);
  const often = plural(stops.ns.length, 'time');
  const each = stops.ns.length > 1 ? `${often}, for ${formatDuration(median)} (median)` : often;
  const events = refsTo('off_cpu', stops.longest, stops.ns.length);
  const shown = evidence(`${lost} in which ${loopText(facts)} was stopped`, 'exact', events);
  const who =
    name === undefined
      ? 'Who let it go on is not recorded.'
      : `${name} let it go on ${plural(most.count, 'time')}.`;
  const isOnce = stops.ns.length === 1;
  const state = kind === 'frozen' ? 'frozen' : 'stopped';
  return {
    title:
      name === undefined
        ? `The job ${isOnce ? 'was' : 'is'} ${state}${isOnce ? ` for ${formatDuration(stops.allNs)}` : ' over and over'}`
        : `The job is ${state}, and ${name} lets it go on`,
    ...(most && { culprit: facts.trace.processes[most.process]?.name ?? name }),
    sentence: `For ${lost} ${loopText(facts)} was stopped, ${how[kind]}: ${each}${whenText(stops)}. ${who} It could do nothing meanwhile, whatever the GPU waited for.`,
    confidence: 'proven',
    evidence: [shown, ...enderEvidence(facts, stops.enders)],
    claims: isStopped,
    gain: { reach: stops.isOfWorkers ? 'waits' : 'own' },
    fix: fixFor(facts, kind, most && { name: name ?? '', pid: pidOf(facts, most.process) }),
    chain: {
      system: evidence(
        name === undefined ? 'The job was stopped from outside' : `${name} let the job go on`,
        name === undefined ? 'unknown' : 'exact',
        events,
      ),
      host: shown,
      cuda: idleDevice(facts, isStopped),
    },
  };
}

type StopKind = 'traced' | 'frozen' | 'signal';

const how: Readonly<Record<StopKind, string>> = {
  traced: 'as a debugger, strace or a sampling profiler stops what it looks at',
  frozen: 'with all of its control group, which was frozen, as a container that is paused is',
  signal: 'as a signal (SIGSTOP) does',
};

/** What most of the time is. */
function kindOf({ allNs, tracedNs, frozenNs }: LoopStops): StopKind {
  if (tracedNs > allNs / 2) return 'traced';
  return frozenNs > allNs / 2 ? 'frozen' : 'signal';
}

/** So few are told one by one. */
const TOLD_ONE_BY_ONE = 3;

/** ` (from 12.34 s to 15.40 s after the recording began)`, where they are few. */
function whenText({ spans }: LoopStops): string {
  if (spans.length > TOLD_ONE_BY_ONE) return '';
  const each = spans.map(([startNs, endNs]) => `${secondsText(startNs)} to ${secondsText(endNs)}`);
  return ` (from ${each.join(', from ')} after the recording began)`;
}

const secondsText = (ns: number) => `${(ns / 1e9).toFixed(2)} s`;

interface Ender {
  readonly process: number;
  count: number;
  ns: number;
}

/** The stops that cost the loop, within the window. */
interface LoopStops {
  /** Of each, in order of time; those of several threads at a time are one. */
  readonly ns: readonly number[];
  readonly allNs: number;
  readonly tracedNs: number;
  readonly frozenNs: number;
  /** When they were, in order of time; as long as they are few. */
  readonly spans: readonly TimeSpan[];
  /** Rows of off_cpu, longest first: at most SHOWN. */
  readonly longest: readonly number[];
  /** Who let it go on, most time first. */
  readonly enders: readonly Ender[];
  readonly isOfWorkers: boolean;
}

/** A stop of one thread, or of several at a time: a signal and a frozen control group stop a whole process, and more. */
interface Stop {
  readonly startNs: number;
  readonly endNs: number;
  readonly row: number;
  readonly kind: StopKind;
}

function stopsWithin(facts: RankFacts): LoopStops {
  const { trace } = facts;
  const { durationNs } = trace.tables.off_cpu.columns;
  const stops = stopsOfThreads(facts);
  const together = joined(stops);
  const enders = new Map<number, Ender>();
  for (const { startNs, endNs, row } of together) {
    const process = trace.threads[wakerOf(trace, row)]?.process ?? NONE;
    const ender = enders.get(process) ?? { process, count: 0, ns: 0 };
    enders.set(process, ender);
    ender.count++;
    ender.ns += endNs - startNs;
  }
  const lengthOf = (some: readonly Stop[]) =>
    some.reduce((sum, { startNs, endNs }) => sum + endNs - startNs, 0);
  const ofKind = (wanted: StopKind) => lengthOf(together.filter(({ kind }) => kind === wanted));
  const longest = stops.map(({ row }) => row).sort((a, b) => durationNs[b] - durationNs[a]);
  return {
    ns: together.map(({ startNs, endNs }) => endNs - startNs),
    ...{ allNs: lengthOf(together), tracedNs: ofKind('traced'), frozenNs: ofKind('frozen') },
    spans: together.slice(0, TOLD_ONE_BY_ONE + 1).map(({ startNs, endNs }) => [startNs, endNs]),
    longest: longest.slice(0, SHOWN),
    enders: [...enders.values()]
      .filter(({ process }) => process !== NONE)
      .sort((a, b) => b.ns - a.ns),
    isOfWorkers: hasStops(facts, 'worker'),
  };
}

const hasStops = ({ costs }: RankFacts, whose: CostCell['whose']) =>
  costs.some((cell) => isStopped(cell) && cell.whose === whose);

/** Of the threads whose stops cost the loop, in order of time. */
function stopsOfThreads(facts: RankFacts): Stop[] {
  const { trace, rank, workers, window } = facts;
  const { columns } = trace.tables.off_cpu;
  const threads = [
    ...(hasStops(facts, 'main') ? [rank.mainThread] : []),
    ...(hasStops(facts, 'worker') ? workers.map(({ mainThread }) => mainThread) : []),
  ];
  return threads
    .flatMap((thread) => stopsOf(trace, thread).rows)
    .map((row) => ({
      startNs: Math.max(columns.startNs[row], window[0]),
      endNs: Math.min(readyNsOf(columns, row), window[1]),
      row,
      kind: kindOfRow(trace, row),
    }))
    .filter(({ startNs, endNs }) => endNs > startNs)
    .sort((a, b) => a.startNs - b.startNs);
}

function kindOfRow(trace: RankFacts['trace'], row: number): StopKind {
  if (isTracedStop(trace, row)) return 'traced';
  return isInFreezer(trace, row) ? 'frozen' : 'signal';
}

/** Those that overlap as one, by the first of them; `stops` in order of time. */
function joined(stops: readonly Stop[]): Stop[] {
  const all: Stop[] = [];
  for (const stop of stops) {
    const last = all.at(-1);
    if (last === undefined || stop.startNs >= last.endNs) all.push(stop);
    else all[all.length - 1] = { ...last, endNs: Math.max(last.endNs, stop.endNs) };
  }
  return all;
}

function enderEvidence({ trace }: RankFacts, enders: readonly Ender[]): Evidence[] {
  return enders
    .slice(0, 3)
    .map(({ process, count, ns }) =>
      evidence(
        `${processText(trace, process)} let it go on ${plural(count, 'time')}, after ${formatDuration(ns)} in all`,
        'exact',
      ),
    );
}

const pidOf = ({ trace }: RankFacts, process: number): number =>
  trace.processes[process]?.pid ?? -1;

interface Named {
  readonly name: string;
  readonly pid: number;
}

function fixFor({ trace, rank }: RankFacts, kind: StopKind, who: Named | undefined): Fix {
  const job = trace.processes[rank.process]?.pid ?? 0;
  const look = `grep -E '^(State|TracerPid)' /proc/${job}/status   # T: stopped, t: traced`;
  const end = who === undefined ? 'Find what stops the job and end that' : `End ${who.name}`;
  if (kind === 'frozen') return frozenFix(job, who);
  return kind === 'traced'
    ? {
        title: `${end}, or let it look at the job without stopping it`,
        text: 'A tracer stops the process each time it looks. strace stops it at every system call, py-spy at every sample unless it is told `--nonblocking`. The first line shows whose process traces the job.',
        before: look,
        after:
          who === undefined
            ? `ps -o pid,ppid,user,args -p "$(awk '/^TracerPid/ {print $2}' /proc/${job}/status)"`
            : `ps -o pid,ppid,user,args -p ${who.pid}   # then end it`,
        language: 'shell',
        sources: [
          { title: 'ptrace(2)', url: 'https://man7.org/linux/man-pages/man2/ptrace.2.html' },
        ],
      }
    : {
        title: `${end}, and limit CPU time by a control group where it must be limited`,
        text: 'A limiter such as cpulimit, a scheduler that takes turns between jobs, or a shell stops a whole process, also in the middle of a CUDA call. A quota of a control group (`systemd-run -p CPUQuota=`, `docker update --cpus`) holds back the CPU only, a few ms at a time. The first line shows whether the job is stopped now.',
        before: look,
        after:
          who === undefined
            ? `kill -CONT ${job}`
            : `ps -o pid,ppid,user,args -p ${who.pid}   # then end it, and:\nkill -CONT ${job}`,
        language: 'shell',
        sources: [
          { title: 'signal(7)', url: 'https://man7.org/linux/man-pages/man7/signal.7.html' },
          { title: 'cpulimit', url: 'https://github.com/opsengine/cpulimit' },
        ],
      };
}

function frozenFix(job: number, who: Named | undefined): Fix {
  const group = `group=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/${job}/cgroup)`;
  return {
    title:
      who === undefined
        ? 'Find who pauses the job’s control group'
        : `Keep ${who.name} from pausing the job`,
    text: 'Pausing a container (`docker pause`), and schedulers that make room for another job, freeze the whole control group: no thread of it runs until somebody lets it go on. The first lines show whether it is frozen now: 1. Of version 1 the file is freezer.state, below /sys/fs/cgroup/freezer.',
    before: `${group}\ncat "$group/cgroup.freeze"`,
    after:
      who === undefined
        ? `${group}\necho 0 > "$group/cgroup.freeze"   # or: docker unpause CONTAINER`
        : `ps -o pid,ppid,user,args -p ${who.pid}   # who let it go on`,
    language: 'shell',
    sources: [
      {
        title: 'Linux: Control Group v2, cgroup.freeze',
        url: 'https://docs.kernel.org/admin-guide/cgroup-v2.html',
      },
    ],
  };
}
