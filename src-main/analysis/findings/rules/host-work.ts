import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { NONE } from '../../../shared/model/schema.ts';
import { codesOfFrames, foldStacks, frameAt } from '../../../shared/model/stacks.ts';
import { cleanText } from '../../../shared/text/text.ts';
import { formatCount, formatShare } from '../../../shared/text/units.ts';
import { perStacks } from '../../index/per-trace.ts';
import { loaderStacks } from '../../stacks/loader-stacks.ts';
import { sureShare } from '../../steps/assumed-stretch.ts';
import { claimed, evidence, refsTo } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { hostSamples } from '../facts/host-samples.ts';
import { shareText, windowNs } from '../facts/job-shape.ts';
import { idleDevice } from '../facts/links.ts';
import { SAMPLES_AT_LEAST } from '../facts/loader-work.ts';
import { pythonSamples } from '../facts/needs.ts';
import type { Judgement, Rule } from '../facts/rule.ts';
import { pytorchDocs } from '../facts/sources.ts';

/** With less of its time, a loop has more to win elsewhere. Our own choice. */
const HOST_SHARE = 0.2;

/** As much of the samples is in one function at least: a loop that does many things is not told of. */
const FUNCTION_SHARE = 0.25;

/** The training loop does work of its own between its CUDA calls, and samples show in which function. */
export const hostWork: Rule = { id: 'host-work', needs: [pythonSamples], judge };

const claims = ({ phase, whose, cause }: CostCell) =>
  phase === 'other' && whose === 'main' && (cause === 'running' || cause === 'unknown');

function judge(facts: RankFacts): Judgement | undefined {
  const { ns, events } = claimed(facts.costs, claims);
  if (ns < windowNs(facts) * HOST_SHARE) return undefined;
  const all = hostSamples(facts);
  const most = mostIn(facts, all);
  if (all.length < SAMPLES_AT_LEAST || most === undefined) return undefined;
  if (most.rows.length < all.length * FUNCTION_SHARE) return undefined;
  const seen = `${formatCount(most.rows.length)} of ${formatCount(all.length)} CPU samples of the training loop outside of CUDA calls and of waiting for input were in ${most.name}`;
  const shown = evidence(seen, 'inferred', refsTo('cpu_sample', most.rows));
  const host = `The training loop was in no CUDA call, and waited for no input, for ${shareText(facts, ns)}`;
  return {
    title: 'The training loop does work of its own between batches',
    sentence: `${host}. ${formatShare(most.rows.length, all.length)} of its CPU samples there were in ${most.name}.`,
    confidence: 'likely',
    evidence: [shown],
    hotThreads: [facts.rank.mainThread],
    claims,
    // No less than this of it is elsewhere, for all that so many samples tell.
    gainShare: 1 - sureShare(all.length - most.rows.length, all.length),
    fix: fixFor(most.name),
    chain: {
      system: shown,
      host: evidence(host, 'exact', events),
      cuda: idleDevice(facts, claims),
    },
  };
}

const LOADER_FILE = /\/torch\/utils\/data\//;

/** By stack, whether it is in PyTorch's loader: the handing over of a batch is no work of the loop's own. */
const isLoading = perStacks((stacks) => {
  const codes = codesOfFrames(stacks, ({ file = '' }) => (LOADER_FILE.test(file) ? 1 : 0));
  return foldStacks(
    stacks,
    new Uint8Array(stacks.length),
    0,
    (outer, frame) => outer | codes[frame],
  );
});

/** Of the job's own code: the function that most of the samples are in, at the line of most of these. */
function mostIn({ trace }: RankFacts, rows: readonly number[]) {
  const { own } = loaderStacks(trace);
  const loading = isLoading(trace);
  const { stack } = trace.tables.cpu_sample.columns;
  const places = rows
    .map((row) => ({ row, at: own[stack?.[row] ?? NONE] ?? NONE, stack: stack?.[row] ?? NONE }))
    .filter(({ at, stack: whole }) => at !== NONE && loading[whole] === 0)
    .map(({ row, at }) => ({ row, frame: frameAt(trace.stacks, trace.stacks.frame[at]) }));
  const [most] = largest(places, ({ frame }) => `${frame.symbol}\n${frame.file}`);
  if (most === undefined) return undefined;
  const [{ frame }] = largest(most, ({ frame: { line } }) => line)[0];
  const { symbol, file = '', line } = frame;
  const path = cleanText(file.slice(file.lastIndexOf('/') + 1), 60);
  const name = `${cleanText(symbol, 80)} (${path}${line === undefined ? '' : `:${line}`})`;
  return { name, rows: most.map(({ row }) => row) };
}

/** Groups of the same key, the largest first. */
function largest<Item>(items: readonly Item[], keyOf: (item: Item) => unknown): Item[][] {
  return [...Map.groupBy(items, keyOf).values()].sort((a, b) => b.length - a.length);
}

function fixFor(name: string): Fix {
  return {
    title: `Do less in ${name} at every step`,
    text: 'The GPU gets nothing new to do while the loop works. Do it every hundred steps, or on the GPU for the whole batch, or after the next batch was submitted.',
    before: `for step, (inputs, targets) in enumerate(DataLoader(dataset, batch_size=batch_size)):
    loss = loss_fn(model(inputs.to(device)), targets.to(device))
    loss.backward()
    losses = [float(loss) for _ in range(1000)]  # at every step`,
    after: `for step, (inputs, targets) in enumerate(DataLoader(dataset, batch_size=batch_size)):
    loss = loss_fn(model(inputs.to(device)), targets.to(device))
    loss.backward()
    if step % 100 == 0:
        losses = [float(loss) for _ in range(1000)]`,
    language: 'python',
    sources: [
      pytorchDocs('Performance tuning guide', 'tutorials/recipes/recipes/tuning_guide.html'),
    ],
  };
}
