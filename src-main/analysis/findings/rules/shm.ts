import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { codeOf, processEventKinds } from '../../../shared/model/codes.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { plural } from '../../../shared/text/units.ts';
import { whyMissing } from '../../../shared/words/why-missing.ts';
import { evidence, refsTo } from '../facts/evidence.ts';
import type { RankFacts } from '../facts/facts.ts';
import { processText, workersAtOnce } from '../facts/job-shape.ts';
import { samplesOf } from '../facts/machine-samples.ts';
import { loaderLine } from '../fixes/snippets.ts';
import { pytorchDocs } from '../fixes/sources.ts';
import type { Judgement, Need, Rule } from '../rule.ts';

/** The end of a process as recorders name it: SIGBUS is 7 on x86-64 and arm64. */
const BUS_ERROR = /\bSIGBUS\b|\bsignal 7\b|bus error/i;
const KILLED = /signal|SIG[A-Z]+/;
const SHARED_MEMORY = /^Shared memory \(MiB\)$/;

/** Ends of processes with the signal, where one ended them: Stalltrace’s own agent records none. */
const endedBy: Need = {
  question: 'Did a worker die of a bus error, for lack of shared memory?',
  missing: (trace) => {
    const { tables } = trace;
    const { columns, rows, provenance } = tables.process_event;
    const exit = codeOf(processEventKinds, 'exit');
    if (rows === 0 && provenance.kind !== 'exact')
      return whyMissing(tables, 'process_event', 'Ends of processes are not in this trace.');
    // That all events are there is no reason why none says how a process ended.
    if (!columns.kind.includes(exit)) return 'This trace holds no end of a process.';
    if (namesSignals(trace)) return undefined;
    return 'The ends of processes are recorded without the signal that caused them.';
  },
};

function namesSignals({ names, tables }: Trace): boolean {
  const isKilled = names.map((name) => KILLED.test(name));
  return tables.process_event.columns.op.some((op) => isKilled[op]);
}

/** Workers ended by SIGBUS: they wrote to shared memory that the file system behind it had no room for. */
export const shm: Rule = {
  id: 'shm',
  needs: [endedBy],
  judge,
};

function judge(facts: RankFacts): Judgement | undefined {
  const { trace, rank } = facts;
  const ends = busErrors(facts);
  if (ends.length === 0) return undefined;
  const { columns } = trace.tables.process_event;
  const dead = [...new Set(ends.map((row) => trace.threads[columns.thread[row]].process))];
  const first = processText(trace, dead[0]);
  const events = refsTo('process_event', ends);
  const killed = evidence(
    `${plural(dead.length, 'DataLoader worker')} of ${rank.label} died of a bus error (SIGBUS), first ${first}`,
    'exact',
    events,
  );
  const samples = samplesOf(facts, SHARED_MEMORY, [0, trace.meta.lengthNs]);
  const used =
    samples === undefined
      ? []
      : [
          evidence(
            `The machine’s shared memory held ${Math.round(samples.max)} MiB at most`,
            'aggregated',
            samples.events,
          ),
        ];
  return {
    title: 'Workers died for lack of shared memory',
    sentence: `${killed.text}. Workers pass batches through shared memory; a write beyond what /dev/shm may hold ends in SIGBUS.`,
    confidence: 'likely',
    evidence: [killed, ...used],
    fix: fixFor(facts),
    chain: {
      system: used[0] ?? evidence('/dev/shm had no room', 'inferred', events),
      host: killed,
      cuda: evidence('No batch came from these workers any more', 'inferred', events),
    },
  };
}

function fixFor(facts: RankFacts): Fix {
  const workers = workersAtOnce(facts);
  return {
    title: 'Give the container more shared memory',
    text: `Docker gives /dev/shm 64 MiB unless told otherwise: start it with \`--shm-size=8g\` or \`--ipc=host\`, and mount an \`emptyDir\` with \`medium: Memory\` there in Kubernetes. ${plural(workers, 'worker')} with 2 batches each (the default) need room for ${workers * 2} batches; until there is more, prefetch_factor=1 as below needs half of it, and smaller batches or fewer workers need less.`,
    before: loaderLine(`num_workers=${workers}`),
    after: `import shutil

free = shutil.disk_usage("/dev/shm").free
if free < 1 << 30:
    print(f"/dev/shm has only {free >> 20} MiB left: start the container with --shm-size=8g")
${loaderLine(`num_workers=${workers}, prefetch_factor=1`)}`,
    language: 'python',
    sources: [
      pytorchDocs(
        'Sharing strategies of torch.multiprocessing',
        'docs/stable/multiprocessing.html',
      ),
      {
        title: 'Docker: docker run --shm-size',
        url: 'https://docs.docker.com/reference/cli/docker/container/run/',
      },
    ],
  };
}

/** Rows of process_event: ends of the rank’s workers by SIGBUS. */
function busErrors({ trace, rank }: RankFacts): number[] {
  const { columns, rows } = trace.tables.process_event;
  const isBusError = trace.names.map((name) => BUS_ERROR.test(name));
  const workers = new Set(rank.generations.flatMap((generation) => generation.workers));
  const exit = codeOf(processEventKinds, 'exit');
  const found: number[] = [];
  for (let row = 0; row < rows; row++) {
    const process = trace.threads[columns.thread[row]]?.process ?? -1;
    if (columns.kind[row] === exit && isBusError[columns.op[row]] && workers.has(process))
      found.push(row);
  }
  return found;
}
