import type { Evidence, Fix } from '../../../shared/answers/diagnosis.ts';
import { codeOf, wakeContexts } from '../../../shared/model/codes.ts';
import { formatDuration, plural } from '../../../shared/text/units.ts';
import { isTracedStop, stopsOf } from '../../threads/stops.ts';
import { claimed, evidence, refsTo } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { isWorthTelling, loopText, processText, shareText } from '../facts/job-shape.ts';
import { idleDevice } from '../facts/links.ts';
import { completeSwitches } from '../facts/needs.ts';
import type { Judgement, Rule } from '../facts/rule.ts';

/**
 * The training process, or a worker it waited for, was stopped as a whole: by a signal, as a limiter or a shell does,
 * by a debugger or a tracer, or by a control group that is frozen. Nothing of it runs, and no CPU is the matter.
 */
export const stopped: Rule = { id: 'stopped', needs: [completeSwitches], judge };

const isStopped = ({ cause }: CostCell) => cause === 'stopped';
const TASK = codeOf(wakeContexts, 'task');

function judge(facts: RankFacts): Judgement | undefined {
  const cost = claimed(facts.costs, isStopped);
  if (!isWorthTelling(facts, cost.ns)) return undefined;
  const stops = stopsWithin(facts);
  const [most] = endersOf(stops);
  const isTraced = stops.filter(({ traced }) => traced).length > stops.length / 2;
  const name = most && processText(facts.trace, most.process);
  const lost = shareText(facts, cost.ns);
  const often = plural(stops.length, 'time');
  const typicalNs = stops.map(({ ns }) => ns).sort((a, b) => a - b)[stops.length >> 1] ?? 0;
  const lengths = stops.length > 1 ? `, for ${formatDuration(typicalNs)} in the middle` : '';
  const each = `${often}${lengths}`;
  const how = isTraced
    ? 'as a debugger, strace or a sampling profiler stops what it looks at'
    : 'as a signal (SIGSTOP) or a frozen control group does';
  const shown = evidence(
    `${lost} in which ${loopText(facts)} was stopped`,
    'exact',
    refsTo(
      'off_cpu',
      stops.map(({ row }) => row),
    ),
  );
  return {
    title: `${name ?? 'Something'} stops the job and lets it go on`,
    ...(most && { culprit: facts.trace.processes[most.process]?.name ?? name }),
    sentence: `For ${lost} ${loopText(facts)} was stopped, ${how}: ${each}. ${name === undefined ? 'Who let it go on is not recorded.' : `${name} let it go on ${plural(most.count, 'time')}.`} Nothing of it ran meanwhile, whatever the GPU waited for.`,
    confidence: 'proven',
    evidence: [shown, ...enderEvidence(facts, stops)],
    claims: isStopped,
    gain: {
      reach: facts.costs.some((cell) => isStopped(cell) && cell.whose === 'worker')
        ? 'waits'
        : 'own',
    },
    fix: fixFor(facts, isTraced, most && { name: name ?? '', pid: pidOf(facts, most.process) }),
    chain: {
      system: evidence(
        name === undefined ? 'The job was stopped from outside' : `${name} stopped the job`,
        name === undefined ? 'unknown' : 'inferred',
        shown.events,
      ),
      host: shown,
      cuda: idleDevice(facts, isStopped),
    },
  };
}

interface Stop {
  readonly row: number;
  readonly ns: number;
  readonly traced: boolean;
  /** Index into processes of who let it go on; -1 = not known. */
  readonly ender: number;
}

/** The stops of the training thread and of the workers' main threads in the window, longest first. */
function stopsWithin({ trace, rank, workers, window }: RankFacts): Stop[] {
  const { startNs, durationNs, waker, wakerContext } = trace.tables.off_cpu.columns;
  const threads = [rank.mainThread, ...workers.map(({ mainThread }) => mainThread)];
  const isTask = (row: number) => wakerContext === undefined || wakerContext[row] === TASK;
  return threads
    .flatMap((thread) => stopsOf(trace, thread).rows)
    .filter((row) => startNs[row] < window[1] && startNs[row] + durationNs[row] > window[0])
    .map((row) => ({
      row,
      ns: durationNs[row],
      traced: isTracedStop(trace, row),
      ender: isTask(row) ? (trace.threads[waker?.[row] ?? -1]?.process ?? -1) : -1,
    }))
    .sort((a, b) => b.ns - a.ns);
}

interface Ender {
  readonly process: number;
  readonly count: number;
  readonly ns: number;
  readonly rows: readonly number[];
}

/** Who let it go on, most time first. */
function endersOf(stops: readonly Stop[]): Ender[] {
  return [
    ...Map.groupBy(
      stops.filter(({ ender }) => ender >= 0),
      ({ ender }) => ender,
    ),
  ]
    .map(([process, own]) => ({
      process,
      count: own.length,
      ns: own.reduce((sum, { ns }) => sum + ns, 0),
      rows: own.map(({ row }) => row),
    }))
    .sort((a, b) => b.ns - a.ns);
}

function enderEvidence(facts: RankFacts, stops: readonly Stop[]): Evidence[] {
  return endersOf(stops)
    .slice(0, 3)
    .map(({ process, count, ns, rows }) =>
      evidence(
        `${processText(facts.trace, process)} let it go on ${plural(count, 'time')}, after ${formatDuration(ns)} in all`,
        'exact',
        refsTo('off_cpu', rows),
      ),
    );
}

const pidOf = ({ trace }: RankFacts, process: number): number =>
  trace.processes[process]?.pid ?? -1;

interface Named {
  readonly name: string;
  readonly pid: number;
}

function fixFor({ trace, rank }: RankFacts, isTraced: boolean, who: Named | undefined): Fix {
  const job = trace.processes[rank.process]?.pid ?? 0;
  const look = `grep -E '^(State|TracerPid)' /proc/${job}/status   # T: stopped, t: traced`;
  const end = who === undefined ? 'Find who does it, and end it' : `End ${who.name}`;
  return isTraced
    ? {
        title: `${end}, or let it look at the job without stopping it`,
        text: 'What traces a process stops it each time it looks. strace stops it at every system call, py-spy at every sample unless it is told `--nonblocking`. The first line shows whose process traces the job.',
        before: look,
        after: who === undefined ? look : `ps -o pid,ppid,user,args -p ${who.pid}   # then end it`,
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
