import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { NONE } from '../../../shared/model/schema.ts';
import { formatCount, formatDuration, formatShare, plural } from '../../../shared/text/units.ts';
import { toolOf } from '../../host/debug-tools.ts';
import { type HostWork, waitsAmong, waitsOf } from '../../host/host-parts.ts';
import { modelStacks } from '../../host/model-stacks.ts';
import { onceFor } from '../../index/per-trace.ts';
import { toldTime } from '../claim-costs.ts';
import { systemCallsText } from '../facts/call-samples.ts';
import { blames, functionOf } from '../facts/culprit.ts';
import { claimed, evidence, refsTo } from '../facts/evidence.ts';
import type { CostCause, CostCell, RankFacts } from '../facts/facts.ts';
import { faultsText } from '../facts/fault-samples.ts';
import { hostGrowth } from '../facts/growth.ts';
import { oftenText } from '../facts/how-often.ts';
import { unnamedText } from '../facts/interpreter-only.ts';
import { processText, shareText, threadText, windowNs } from '../facts/job-shape.ts';
import { SAMPLES_AT_LEAST } from '../facts/loader-work.ts';
import { callsOfLoop } from '../facts/recorded-calls.ts';
import { wakersOf, workOfThread } from '../facts/thread-work.ts';
import { askAhead } from '../fixes/ask-ahead.ts';
import { BESIDE_LOOP, besideLoop } from '../fixes/beside-loop.ts';
import { pytorchDocs } from '../fixes/sources.ts';
import { gainOfCpuWork, hostCell, mostShare, worksOf } from '../judging/judge-host.ts';
import { idleDevice } from '../judging/links.ts';
import { hostActivity } from '../judging/needs.ts';
import {
  areRelated,
  mostWithin,
  type OwnFunction,
  ownFunctions,
  samplesWithin,
} from '../judging/own-functions.ts';
import type { Judgement, Rule } from '../rule.ts';

/** With less of its time, a loop has more to win elsewhere. Our own choice. */
const HOST_SHARE = 0.1;
/** Waits are known one by one, and a loop that works as it should has next to none. Our own choice. */
const ASLEEP_SHARE = 0.1;

/** As much of it is in one function at least: a loop that does many things is not told of. */
const FUNCTION_SHARE = 0.25;

/** A second function with so much of the loop's time is told by itself. Our own choice. */
const SECOND_SHARE = 0.1;
const SECOND_SAMPLES = 15;

/**
 * The training loop does work of its own between its CUDA calls, or waits, and no other rule knows for what: where, and in
 * which function, is said all the same.
 */
export const hostWork: Rule = {
  id: 'host-work',
  needs: [hostActivity],
  judge: (facts) => judgements(facts)[0],
};

/** A second function, or the waits beside the work: another place, and another fix. */
export const moreHostWork: Rule = {
  id: 'more-host-work',
  needs: [hostActivity],
  judge: (facts) => judgements(facts)[1],
};

const isUntold = hostCell('none');
const ASLEEP: ReadonlySet<CostCause> = new Set(['sleeping', 'lock', 'disk', 'fault', 'off-cpu']);

/** After a wait for the GPU that is what keeps it idle, whatever the wait was for. */
const RUNS: ReadonlySet<CostCause> = new Set(['running', 'unknown', 'drained']);

const runs = (cell: CostCell) => isUntold(cell) && RUNS.has(cell.cause);
const sleeps = (cell: CostCell) => isUntold(cell) && ASLEEP.has(cell.cause);

/** What is told of it, most first: as much as is in one function, or of waits. Once per rank. */
const judgements = onceFor((facts: RankFacts) => facts, judgeAll);

function judgeAll(facts: RankFacts): readonly Judgement[] {
  const told = [...judgeRunning(facts), judgeAsleep(facts)].filter((one) => one !== undefined);
  const timeOf = new Map(told.map((one) => [one, toldTime(one, facts.costs)]));
  return told.sort((a, b) => (timeOf.get(b) ?? 0) - (timeOf.get(a) ?? 0));
}

/** In one function, or in two that are told apart. */
function judgeRunning(facts: RankFacts): Judgement[] {
  const { ns } = claimed(facts.costs, runs);
  if (ns < answeringNs(facts) * HOST_SHARE) return [];
  const { samples, functions } = ownFunctions(facts);
  const [first, second] = functions;
  if (samples.length < SAMPLES_AT_LEAST || first === undefined) return [];
  if (first.rows.length < samples.length * FUNCTION_SHARE) return [];
  const partOf = ({ rows }: OwnFunction) => rows.length / samples.length;
  const isApart =
    second !== undefined &&
    second.rows.length >= SECOND_SAMPLES &&
    ns * partOf(second) >= answeringNs(facts) * SECOND_SHARE &&
    !areRelated(facts, first, second);
  if (!isApart) return [judgeFunction(facts, first, undefined)];
  return [first, second].map((one) => judgeFunction(facts, one, partOf(one)));
}

/** `part` = so much of all that is without a name is told to be this one's; undefined: all of it. */
function judgeFunction(
  facts: RankFacts,
  { place, rows, at }: OwnFunction,
  part: number | undefined,
): Judgement {
  const { ns, events } = claimed(facts.costs, runs);
  const { samples: all } = ownFunctions(facts);
  const serves = facts.steps.serves === true;
  const seen = `${formatCount(rows.length)} of the ${formatCount(all.length)} CPU samples of the training loop’s own work were in ${place}${calledText(facts, { place, rows, at }, all)}`;
  const shown = evidence(seen, 'inferred', refsTo('cpu_sample', rows));
  const host = `The training loop was in no CUDA call, and waited for no ${serves ? 'request' : 'input'}, for ${shareText(facts, ns)}${answeringText(facts, ns)}`;
  const often = oftenText(facts.repeats(at));
  const ofIt = part === undefined ? '' : `: that stands for ${shareText(facts, ns * part)}`;
  const isMost = rows.length * 2 >= all.length;
  const tool = toolIn(facts, rows);
  // What else has no cause of its own may be for that function: it calls others, and others call it.
  const mostNs = ns * mostShare(facts, ns, 'none');
  const withinNs = part === undefined ? mostNs : mostNs * mostWithin(facts, { place, rows, at });
  return {
    title: `The training loop does work of its own ${serves ? 'while it answers' : 'between batches'}, ${isMost || part !== undefined ? 'in' : 'above all in'} ${place}`,
    ...blames(place),
    sentence: `${host}. ${whereText(place, isMost, part)}${often}${ofIt}.${aboutText(facts, rows, tool)}`,
    confidence: 'likely',
    evidence: [shown, ...callsOfLoop(facts, at)],
    growth: hostGrowth(facts, at, place),
    hotThreads: [facts.rank.mainThread],
    claims: runs,
    ...(part !== undefined && { claimPart: () => part }),
    gainShare: (withinNs + toldInside(facts, place)) / ns,
    gain: gainOfCpuWork(facts),
    fix: fixOf(facts, rows, place, tool),
    chain: {
      system: shown,
      host: evidence(host, 'exact', events),
      cuda: idleDevice(facts, runs),
    },
  };
}

/** Where it computed, without a second share beside that of the time: the evidence counts the samples. */
function whereText(place: string, isMost: boolean, part: number | undefined): string {
  if (part !== undefined) return `It computed in two functions, one of them ${place}`;
  return isMost
    ? `It computed mostly in ${place}`
    : `It computed in ${place} more than in any other function`;
}

/** Less than that is not told beside what the function does itself. */
const CALLED_SHARE = 0.05;

/** `, 210 with what it calls`, of `all` samples; empty where that is hardly more than its own. */
function calledText(facts: RankFacts, own: OwnFunction, all: readonly number[]): string {
  const { length } = samplesWithin(facts, own, all);
  if (length < own.rows.length + all.length * CALLED_SHARE) return '';
  return `, ${formatCount(length)} with what it calls`;
}

/** The tool for a hunt that most of these samples were in. */
function toolIn({ trace }: RankFacts, rows: readonly number[]): string | undefined {
  const { stack } = trace.tables.cpu_sample.columns;
  return toolOf(
    trace,
    rows.map((row) => stack?.[row] ?? NONE),
  );
}

/** What `rows`, samples in one function, tell of it besides: each sentence with a space before it. */
function aboutText(facts: RankFacts, rows: readonly number[], tool: string | undefined): string {
  return [
    tool === undefined
      ? ''
      : `Most of that is ${tool}, a debugging or profiling tool that was left on.`,
    unnamedText(facts.trace, rows),
    faultsText(facts.trace, rows),
    systemCallsText(facts, rows, [facts.rank.mainThread]),
  ]
    .filter(Boolean)
    .map((text) => ` ${text}`)
    .join('');
}

/** What has a cause of its own in that function, ns: where less is done in it, that may go as well. */
function toldInside(facts: RankFacts, place: string): number {
  return worksOf(facts)
    .filter((work) => work.kind !== 'none' && work.place !== undefined)
    .filter((work) => functionOf(work.place ?? '') === functionOf(place))
    .reduce((sum, { ns }) => sum + ns, 0);
}

/** A server is idle as long as nobody asks: what it does is held against the time in which it had something to answer. */
function answeringNs(facts: RankFacts): number {
  return windowNs(facts) - (facts.steps.serves === true ? facts.split.idle : 0);
}

function answeringText(facts: RankFacts, ns: number): string {
  const busyNs = answeringNs(facts);
  if (busyNs >= windowNs(facts)) return '';
  return `, ${formatShare(ns, busyNs)} of that in which it had something to answer`;
}

/** Waits of the training thread that no rule knows: where it was, what it waited for and who ended them. */
function judgeAsleep(facts: RankFacts): Judgement | undefined {
  const { ns } = claimed(facts.costs, sleeps);
  if (!facts.inputKnown || facts.steps.serves === true) return undefined;
  if (ns < windowNs(facts) * ASLEEP_SHARE) return undefined;
  const own = worksOf(facts).filter(({ kind, ns: all, ranNs }) => kind === 'none' && ranNs < all);
  const [wait] = waitsOf(facts.trace, facts.host, allOf(own));
  if (wait === undefined || wait.ns < ns * FUNCTION_SHARE) return undefined;
  const place = placeOfWait(facts, own, new Set(wait.rows), wait.ns);
  const where = place === undefined ? '' : ` in ${place}`;
  const often = oftenText(facts.repeats(allOf(own)));
  const host = `The training loop was in no CUDA call, and waited for no batch of its loader, but was asleep for ${shareText(facts, ns)}${often}`;
  const shown = evidence(
    `${plural(wait.rows.length, 'wait')}${where} for ${wait.text}: ${formatDuration(wait.ns)}`,
    'exact',
    refsTo('off_cpu', wait.rows),
  );
  return {
    title: `The training loop is asleep${where}, waiting for ${wait.text}`,
    ...blames(place),
    sentence: `${host}: mostly${where}, waiting for ${wait.text}.${peerText(facts, own)}`,
    confidence: 'likely',
    evidence: [shown, ...callsOfLoop(facts, waitsAmong(facts.host, allOf(own)))],
    hotThreads: [facts.rank.mainThread],
    claims: sleeps,
    gainShare: mostShare(facts, ns, 'none'),
    fix: asleepFix(`${wait.text}${where}`),
    chain: {
      system: shown,
      host: evidence(host, 'exact', shown.events),
      cuda: idleDevice(facts, sleeps),
    },
  };
}

const allOf = (works: readonly HostWork[]) => works.flatMap(({ at }) => at);

/** The function that at least half of these waits were in. */
function placeOfWait(
  { host: { evidence: seen } }: RankFacts,
  own: readonly HostWork[],
  rows: ReadonlySet<number>,
  ns: number,
): string | undefined {
  const isOne = (at: number) => seen.isSample[at] === 0 && rows.has(seen.row[at]);
  const sumOf = ({ at }: HostWork) =>
    at.filter(isOne).reduce((sum, each) => sum + seen.ns[each], 0);
  return own.find((work) => work.place !== undefined && sumOf(work) >= ns / 2)?.place;
}

/** ` Mostly python3 (pid 71) ended these waits; meanwhile it was asleep in keep (train.py:12), waiting for a timer.` */
function peerText(facts: RankFacts, own: readonly HostWork[]): string {
  const [peer] = own.flatMap((work) => wakersOf(facts, work)).sort((a, b) => b.ns - a.ns);
  const thread = facts.trace.threads[peer?.thread ?? -1];
  if (thread === undefined) return '';
  const isOwn = thread.process === facts.rank.process;
  const who = isOwn ? threadText(thread) : processText(facts.trace, thread.process);
  const did = workOfThread(facts, peer.thread, peer.spans);
  return ` Mostly ${who} ended these waits${did === undefined ? '' : `; meanwhile it was ${did}`}.`;
}

function asleepFix(what: string): Fix {
  return {
    title: `Do not wait for ${what} in the training loop`,
    text: 'The GPU gets nothing new to do while the loop waits. A thread that asks for the next answer while this step is computed takes the wait out of the loop, as a loader does for batches: as long as it does not ask for what this step has yet to compute. What the loop only reports is submitted in the same way, without result().',
    ...askAhead,
  };
}

function serverFix(name: string): Fix {
  return {
    title: `Do less in ${name} for each request`,
    text: 'The GPU gets nothing new to do while the server works on one answer. Prepare the next request and finish the last answer in other processes, so that the thread of the GPU only computes.',
    before: `def your_answer(request):
    with torch.inference_mode():
        outputs = your_model(your_inputs_of(request).to(your_device))
    return your_answer_of(outputs.cpu())`,
    after: `from concurrent.futures import ProcessPoolExecutor

hosts = ProcessPoolExecutor(4)  # started before anything uses CUDA

def your_answer(request):  # each request in a thread of its own: they wait here, the GPU does not
    inputs = hosts.submit(your_inputs_of, request).result()
    with torch.inference_mode():
        outputs = your_model(inputs.to(your_device)).cpu()
    return hosts.submit(your_answer_of, outputs).result()`,
    language: 'python',
    sources: [
      {
        title: 'Python: concurrent.futures',
        url: 'https://docs.python.org/3/library/concurrent.futures.html',
      },
    ],
  };
}

function toolFix(tool: string, place: string): Fix {
  return {
    title: `Switch ${tool} off, and take it out of ${place}`,
    text: 'Tools that look for leaks or measure code slow what they look at, often each allocation or call of the whole program, also between their reports. Switch them on for a few steps, or by an option that is off by default, and train without them.',
    before: `your_hunt_begin()
for batch in your_loader:
    your_step(batch)
    your_hunt_look()`,
    after: `import os

hunts = os.environ.get("HUNT") == "1"  # HUNT=1 python … looks, as before
if hunts:
    your_hunt_begin()
for batch in your_loader:
    your_step(batch)
    if hunts:
        your_hunt_look()`,
    language: 'python',
    sources: [
      { title: 'Python: tracemalloc', url: 'https://docs.python.org/3/library/tracemalloc.html' },
    ],
  };
}

function fixOf(facts: RankFacts, rows: readonly number[], place: string, tool?: string): Fix {
  if (tool !== undefined) return toolFix(tool, place);
  if (facts.steps.serves === true) return serverFix(place);
  return isOfModel(facts, rows) ? modelFix(place) : loopFix(place);
}

/** Whether most of these samples were taken within a call of the model. */
function isOfModel({ trace }: RankFacts, rows: readonly number[]): boolean {
  const { stack } = trace.tables.cpu_sample.columns;
  const within = modelStacks(trace);
  return rows.filter((row) => within[stack?.[row] ?? NONE] === 1).length * 2 > rows.length;
}

function modelFix(place: string): Fix {
  const name = /^([a-z_]\w*)$/.exec(functionOf(place))?.[1] ?? 'your_function';
  return {
    title: `Have ${place} compute on the GPU, for the whole batch at once`,
    text: 'It is part of the model, so every step needs it, and the GPU waits for the CPU meanwhile. Loops in Python over rows, heads or time steps become one tensor operation; torch.vmap() makes one of what is written for a single row, and refuses what it can’t. What does not change from step to step is made once. Calls of .item(), .cpu() and .numpy() fetch values from the GPU, and wait for it.',
    before: `def ${name}(rows):
    return torch.stack([your_row(row) for row in rows])  # one row after the other`,
    after: `def ${name}(rows):
    return torch.vmap(your_row)(rows)  # all rows in one operation`,
    language: 'python',
    sources: [tuningGuide, pytorchDocs('torch.vmap', 'docs/stable/generated/torch.vmap.html')],
  };
}

function loopFix(place: string): Fix {
  const { sources, ...code } = besideLoop('your_function');
  return {
    title: `Let another process do what ${place} does, while the loop goes on`,
    text: `The GPU gets nothing new to do while the loop works. ${BESIDE_LOOP} What prepares the next batch is for the workers of the loader, and what nobody needs at each step is done every hundred steps.`,
    ...code,
    sources: [tuningGuide, ...sources],
  };
}

const tuningGuide = pytorchDocs(
  'Performance tuning guide',
  'tutorials/recipes/recipes/tuning_guide.html',
);
