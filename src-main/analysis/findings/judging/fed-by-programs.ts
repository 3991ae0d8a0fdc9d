import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { formatCount } from '../../../shared/text/units.ts';
import type { RankFacts } from '../facts/facts.ts';
import { workersOption } from '../facts/job-shape.ts';
import type { PeerWaits } from '../facts/peer-waits.ts';

/** Batches whose data come from other programs, through pipes. */

/** Programs of one name that feed pipes, as one; a server is one by itself. */
export interface Feeders extends PeerWaits {
  /** `gsutil (pid 311) and 12 more like it`. */
  readonly text: string;
}

/** Those among `all` that are like the first: a program may be started anew for each file. */
export function feedersOf({ trace }: RankFacts, all: readonly [PeerWaits, ...PeerWaits[]]) {
  const nameOf = ({ peer }: PeerWaits) => trace.processes[peer.process]?.name;
  const [first] = all;
  const isLike = (waits: PeerWaits) =>
    waits === first ||
    (waits.kind === 'pipe' && first.kind === 'pipe' && nameOf(waits) === nameOf(first));
  const [same, rest] = [all.filter(isLike), all.filter((waits) => !isLike(waits))];
  return { feeders: asOne(first, same), rest };
}

function asOne(first: PeerWaits, same: readonly PeerWaits[]): Feeders {
  const each = same
    .flatMap(({ rows, eachNs }) => rows.map((row, at) => ({ row, ns: eachNs[at] ?? 0 })))
    .sort((a, b) => b.ns - a.ns);
  const more = same.length - 1;
  return {
    ...first,
    ns: same.reduce((sum, { ns }) => sum + ns, 0),
    rows: each.map(({ row }) => row),
    eachNs: Float64Array.from(each, ({ ns }) => ns),
    basis: same.every(({ basis }) => basis === 'exact') ? 'exact' : 'inferred',
    text: more === 0 ? first.peer.text : `${first.peer.text} and ${formatCount(more)} more like it`,
  };
}

/** Whether the job started the program itself. */
function isStartedHere({ trace, rank }: RankFacts, { peer }: PeerWaits): boolean {
  const parent = trace.processes[peer.process]?.parent ?? -1;
  return rank.processes.includes(parent);
}

/** `otherwise`: what is left to do. */
export function feederFix(facts: RankFacts, feeders: Feeders, otherwise: string): Fix {
  const isOurs = isStartedHere(facts, feeders);
  const how = isOurs
    ? 'Each is started when its output is needed, and read as fast as it writes. Start the next ones before that, several at a time, and let them write files: reading these costs nothing, and in the next epoch they are still there.'
    : 'What it writes is read as fast as it comes, and anew in each epoch. Keep it in files on a local disk: then only the first epoch waits.';
  const mine = `def mine():
    worker = get_worker_info()
    return your_files[worker.id :: worker.num_workers]  # each worker has its share`;
  const loader = `loader = DataLoader(YourDataset(), batch_size=None, ${workersOption(facts)}, **your_options)`;
  return {
    title: isOurs
      ? 'Start the programs before their output is needed, and keep what they write'
      : 'Keep what the program writes on a local disk',
    text: `${how} A program that only unpacks is best replaced by a library, or by files that are unpacked once. ${otherwise}`,
    before: `import subprocess
from torch.utils.data import IterableDataset, get_worker_info

${mine}

class YourDataset(IterableDataset):
    def __iter__(self):
        for name in mine():
            with subprocess.Popen([*your_command, name], stdout=subprocess.PIPE) as program:
                yield your_sample(program.stdout.read())  # waits for each

${loader}`,
    after: `import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from torch.utils.data import IterableDataset, get_worker_info

${mine}

kept = Path(tempfile.mkdtemp())  # on a local disk with room for all

def fetched(name):
    path = kept / name.replace("/", "_")  # names in two folders may be the same
    if not path.exists():
        part = path.with_suffix(".part")
        with open(part, "wb") as file:
            subprocess.run([*your_command, name], stdout=file, check=True)
        part.rename(path)
    return path

class YourDataset(IterableDataset):
    def __iter__(self):
        with ThreadPoolExecutor(4) as ahead:  # four programs at a time, in the same order
            for path in ahead.map(fetched, mine()):
                yield your_sample(path.read_bytes())

${loader}`,
    language: 'python',
    sources: [
      {
        title: 'Python: Executor.map',
        url: 'https://docs.python.org/3/library/concurrent.futures.html#concurrent.futures.Executor.map',
      },
    ],
  };
}
