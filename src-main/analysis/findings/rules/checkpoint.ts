import type { Evidence, Fix } from '../../../shared/answers/diagnosis.ts';
import { NONE } from '../../../shared/model/schema.ts';
import { bitsOfStacks } from '../../../shared/model/stacks.ts';
import { upperBound } from '../../../shared/numbers/bisect.ts';
import { type HostWork, waitsAmong } from '../../host/host-parts.ts';
import { perStacks } from '../../index/per-trace.ts';
import { blockedOn } from '../../threads/blocked-on.ts';
import { awaitedFilesText, filesOf } from '../facts/awaited-files.ts';
import { diskRequests, diskRequestsText, requestsOf } from '../facts/disk-requests.ts';
import { evidence, refsTo } from '../facts/evidence.ts';
import type { RankFacts } from '../facts/facts.ts';
import { onlyPacks, savingOf, savingText } from '../facts/saving-parts.ts';
import { pytorchDocs } from '../fixes/sources.ts';
import { judgeHost } from '../judging/judge-host.ts';
import { hostActivity } from '../judging/needs.ts';
import type { Rule } from '../rule.ts';

/** The training loop stands still while it saves its state to a file. */
export const checkpoint: Rule = { id: 'checkpoint', needs: [hostActivity], judge };

function judge(facts: RankFacts) {
  return judgeHost(facts, {
    kind: 'checkpoint',
    title: 'The training loop stands still while it saves',
    doing: 'saving',
    isMeant: (work) => !onlyPacks(facts, work),
    more: (work) => detailsOf(facts, work),
    fix: (work) => (isText(facts, work) ? textFix : fix),
  });
}

/** Encoders of text: they run in the interpreter, which a thread beside the loop would keep from it. */
const encodes = perStacks((stacks) =>
  bitsOfStacks(stacks, ({ file = '' }) =>
    Number(/\/(json|simplejson|yaml|xml)\/|\/(_json|_csv|csv)\b/.test(file)),
  ),
);

/** Whether most of it went to putting together text, as far as samples tell. */
function isText({ trace, host }: RankFacts, { at, ns }: HostWork): boolean {
  const { evidence: seen } = host;
  const { stack } = trace.tables.cpu_sample.columns;
  const text = at.filter(
    (each) => seen.isSample[each] === 1 && encodes(trace)[stack?.[seen.row[each]] ?? NONE] === 1,
  );
  return text.reduce((sum, each) => sum + seen.ns[each], 0) > ns / 2;
}

/** What saving went to, for which files it waited, and what the disk was asked for meanwhile. */
function detailsOf(facts: RankFacts, work: HostWork) {
  const went = savingText(savingOf(facts, work));
  const requests = [
    requestsWithin(facts, work, 'write', ''),
    requestsWithin(facts, work, 'discard', ', to free what was overwritten or deleted'),
  ];
  return {
    say: went === '' ? [] : [`${went}.`],
    facts: [...filesEvidence(facts, work), ...requests].filter((each) => each !== undefined),
  };
}

function filesEvidence(facts: RankFacts, { at }: HostWork): Evidence[] {
  const waits = waitsAmong(facts.host, at).map((each) => facts.host.evidence.row[each]);
  const forFiles = waits.filter((wait) =>
    ['disk', 'file'].includes(blockedOn(facts.trace, wait).detail),
  );
  const files = filesOf(facts, forFiles);
  const [most] = files.named;
  // Of one file on a local disk the waits themselves say it.
  if (most === undefined || (most.files === 1 && most.server < 0)) return [];
  const text = awaitedFilesText(facts, files) ?? '';
  return [evidence(`It waited ${text}`, 'exact', refsTo('off_cpu', forFiles))];
}

/** What the training thread asked disks for in the stretches in which it saved; the kernel’s own threads may write later. */
function requestsWithin(
  facts: RankFacts,
  { at }: HostWork,
  kind: keyof typeof KINDS,
  why: string,
): Evidence | undefined {
  const { startsNs, endsNs } = facts.hostTime;
  const spanOf = (atNs: number) => upperBound(endsNs, atNs);
  const saving = new Set(at.map((each) => spanOf(facts.host.evidence.startsNs[each])));
  const { startNs } = facts.trace.tables.block_io.columns;
  const rows = requestsOf(facts, facts.rank.mainThread, KINDS[kind]).filter((row) => {
    const span = spanOf(startNs[row]);
    return saving.has(span) && startNs[row] >= startsNs[span];
  });
  if (rows.length === 0) return undefined;
  const requests = diskRequests(facts, rows);
  const text = `Meanwhile ${diskRequestsText(requests, kind)}${why}`;
  return evidence(text, 'exact', refsTo('block_io', requests.rows));
}

const KINDS = { write: /write/i, discard: /discard/i } as const;

const fix: Fix = {
  title: 'Save in the background: copy the state, then let a thread write it',
  text: 'Only the copy has to be made while the loop stands still. The file is written while the next steps run, under another name first, so that a half-written one is never taken for a checkpoint. A local disk is faster than a network one, and saving less often costs less. With PyTorch 2.3 or newer torch.distributed.checkpoint.async_save() does the same.',
  before: `for step, batch in enumerate(your_loader):
    your_step(batch)
    if step % your_every == 0:
        torch.save(your_state, your_path)`,
  after: `import os
from concurrent.futures import ThreadPoolExecutor

def on_host(state):
    """A copy of it whose tensors are in memory of the host."""
    if torch.is_tensor(state):
        return state.detach().to("cpu", copy=True)
    if isinstance(state, dict):
        return {key: on_host(value) for key, value in state.items()}
    if isinstance(state, (list, tuple)):
        return type(state)([on_host(each) for each in state])
    return state

def write_state(state, path):
    torch.save(state, path + ".part")
    os.replace(path + ".part", path)

saver = ThreadPoolExecutor(1)
saved = None
for step, batch in enumerate(your_loader):
    your_step(batch)
    if step % your_every == 0:
        if saved is not None:
            saved.result()  # the one before is written, or raises what went wrong
        saved = saver.submit(write_state, on_host(your_state), your_path)
if saved is not None:
    saved.result()  # the last one has to be written before the job ends
saver.shutdown()`,
  language: 'python',
  sources: [
    pytorchDocs(
      'Asynchronous saving with distributed checkpoint',
      'tutorials/recipes/distributed_async_checkpoint_recipe.html',
    ),
    { title: 'Linux: fsync(2)', url: 'https://man7.org/linux/man-pages/man2/fsync.2.html' },
  ],
};

const textFix: Fix = {
  title: 'Let another process write the text, or save the numbers as they are',
  text: 'Most of the time goes to putting the text together, in Python. A thread would hold the interpreter meanwhile, and the loop with it; another process does not. NumPy’s own format needs no text at all, is several times smaller, and reads faster. Writing less often, or fewer of them, costs less too.',
  before: `for step, batch in enumerate(your_loader):
    outputs = your_step(batch)
    if step % your_every == 0:
        your_write(outputs.tolist(), f"{your_path}-{step}")  # the GPU waits for it`,
  after: `import os
from concurrent.futures import ProcessPoolExecutor

def write_aside(values, path):
    your_write(values.tolist(), path)

writer = ProcessPoolExecutor(1)
writer.submit(os.getpid).result()  # its process starts here, before anything uses CUDA
written = []
for step, batch in enumerate(your_loader):
    outputs = your_step(batch)
    if step % your_every == 0:
        written.append(writer.submit(write_aside, outputs.detach().cpu().numpy(), f"{your_path}-{step}"))
for each in written:
    each.result()  # it is written, or raises what went wrong
writer.shutdown()`,
  language: 'python',
  sources: [
    {
      title: 'Python: ProcessPoolExecutor',
      url: 'https://docs.python.org/3/library/concurrent.futures.html#processpoolexecutor',
    },
    {
      title: 'NumPy: numpy.save',
      url: 'https://numpy.org/doc/stable/reference/generated/numpy.save.html',
    },
  ],
};
