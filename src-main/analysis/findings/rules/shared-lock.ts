import type { Evidence, Fix, FixSource } from '../../../shared/answers/diagnosis.ts';
import { percentiles } from '../../../shared/numbers/percentile.ts';
import { formatCount, formatDuration, formatShare, plural } from '../../../shared/text/units.ts';
import { processName } from '../../jobs/thread-label.ts';
import { clearCulprit, fileNameOf } from '../facts/culprit.ts';
import { claimed, evidence, refsTo } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { isWorthTelling, processText, workersOption } from '../facts/job-shape.ts';
import { makersOf, production } from '../facts/loader-work.ts';
import { type LockWaits, lockWaits } from '../facts/lock-waits.ts';
import { idleDevice, waitOf } from '../judging/links.ts';
import { completeSwitches, waitedIn, wakers } from '../judging/needs.ts';
import type { Judgement, Rule } from '../rule.ts';

const claims = ({ phase, cause }: CostCell) => phase === 'input' && cause === 'shared-lock';

/** What makes the batches waits for a lock that another process has: workers take turns. */
export const sharedLock: Rule = {
  id: 'shared-lock',
  needs: [completeSwitches, waitedIn, wakers],
  judge,
};

function judge(facts: RankFacts): Judgement | undefined {
  const { ns, events } = claimed(facts.costs, claims);
  const [waits] = lockWaits(facts);
  if (waits === undefined || !isWorthTelling(facts, ns)) return undefined;
  const { lock, takesTurns } = waits;
  const waited = waitedText(facts, waits);
  const held = heldEvidence(facts, waits);
  const culprit = clearCulprit(
    lockWaits(facts).map((one) => ({ name: lockName(one), ns: one.ns })),
  );
  const loop = waitOf(facts, ns, 'waited for batches that waited for a lock');
  return {
    title: takesTurns
      ? 'The workers take turns: they wait for each other’s lock'
      : `Batches wait for ${lock.kind === 'memory' ? 'another process' : 'a lock that another process has'}`,
    ...(culprit !== undefined && { culprit }),
    sentence: `${waited}. The training loop waited ${formatDuration(ns)} for that.`,
    // Of a semaphore nobody says that it is a lock; SQLite is told by how long it sleeps.
    confidence:
      lock.kind === 'sqlite' || (lock.kind === 'memory' && !takesTurns) ? 'likely' : 'proven',
    evidence: [evidence(waited, 'exact', refsTo('off_cpu', waits.rows)), held, ...others(facts)],
    hotThreads: makersOf(facts),
    claims,
    // Without the lock all of them work at a time: as far as there are CPUs for that.
    gain: { reach: 'waits', cpus: facts.cpus.usable },
    fix: lock.kind === 'sqlite' ? sqliteFix(facts) : lockFix(facts, waits),
    chain: { system: held, host: evidence(loop, 'exact', events), cuda: idleDevice(facts, claims) },
  };
}

/** The file that is locked; of memory, where it lies is another in each run. */
function lockName({ lock: { file } }: LockWaits): string | undefined {
  return file && fileNameOf(file);
}

/** `The 3 workers waited 12.1 s in all (64 % of the making of batches) for the lock of /data/x (ext4)`. */
function waitedText(facts: RankFacts, { lock, ns, waiters }: LockWaits): string {
  const made = production(facts).ns;
  const share =
    made > 0 ? ` (${formatShare(Math.min(ns, made), made)} of the making of batches)` : '';
  const who =
    facts.workers.length === 0
      ? 'The training process'
      : `${waiters.size === 1 ? 'One worker' : `${formatCount(waiters.size)} workers`}`;
  return `${who} waited ${formatDuration(ns)}${waiters.size > 1 ? ' in all' : ''}${share} for ${lock.text}`;
}

/** Who had it, and for how long. */
function heldEvidence({ trace }: RankFacts, waits: LockWaits): Evidence {
  const { holders, heldNs, rows, lock } = waits;
  const refs = refsTo('off_cpu', rows);
  if (holders.length === 0) {
    const why =
      lock.kind === 'sqlite'
        ? 'SQLite sleeps and tries again: nobody wakes it'
        : 'nobody woke who waited';
    return evidence(`Who had the lock is not recorded: ${why}`, 'unknown', refs);
  }
  const named = holders.slice(0, 3).map(([process, ns]) => {
    const name = processName(trace, process);
    const text = processText(trace, process);
    const who = text.startsWith(name) ? text : `${name} (pid ${trace.processes[process]?.pid})`;
    return `${who} for ${formatDuration(ns)}`;
  });
  const more =
    holders.length > 3
      ? ` and ${plural(holders.length - 3, 'other process', 'other processes')}`
      : '';
  const [median, most] = percentiles(heldNs, [50, 100]);
  const long =
    heldNs.length === 0
      ? ''
      : `; it was held for ${formatDuration(median)} at a time (median), ${formatDuration(most)} at most`;
  return evidence(
    `In ${plural(rows.length, 'wait')} the lock was with ${named.join(', ')}${more}${long}`,
    'exact',
    refs,
  );
}

/** Further locks that were waited for, in short. */
function others(facts: RankFacts): Evidence[] {
  const [, ...rest] = lockWaits(facts);
  return rest
    .filter(({ ns }) => isWorthTelling(facts, ns))
    .slice(0, 2)
    .map(({ lock, ns, rows }) =>
      evidence(
        `Besides, ${formatDuration(ns)} went to waiting for ${lock.text}`,
        'exact',
        refsTo('off_cpu', rows),
      ),
    );
}

const manual = (page: string): FixSource => ({
  title: `Linux: ${page}`,
  url: `https://man7.org/linux/man-pages/man2/${page.replace('(2)', '')}.2.html`,
});

function lockFix(facts: RankFacts, { takesTurns, lock }: LockWaits): Fix {
  const sources =
    lock.kind === 'flock'
      ? [manual('flock(2)')]
      : lock.kind === 'record lock'
        ? [manual('fcntl(2)')]
        : [
            {
              title:
                'Python: multiprocessing, better to inherit than pickle and unpickle; avoid shared state',
              url: 'https://docs.python.org/3/library/multiprocessing.html#programming-guidelines',
            },
          ];
  return {
    title: takesTurns
      ? 'Give each worker what it needs for itself'
      : 'Let go of the lock, or do without it',
    text: 'While one has the lock, all others wait: more workers do not help. Give each worker a handle, a connection or a piece of the data of its own; read only what nobody writes, which takes no lock; and where there has to be one, do the reading and decoding before it is taken, and keep it for the moment that needs it.',
    before: `class Locked(Dataset):
    def __init__(self, files):
        self.files, self.lock = files, torch.multiprocessing.Lock()

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        with self.lock:  # one worker at a time
            return torch.from_numpy(decode(self.files[index]))

loader = DataLoader(Locked(files), batch_size=batch_size, ${workersOption(facts)})`,
    after: `class Own(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        return torch.from_numpy(decode(self.files[index]))  # each worker by itself

loader = DataLoader(Own(files), batch_size=batch_size, ${workersOption(facts)})`,
    language: 'python',
    sources,
  };
}

function sqliteFix(facts: RankFacts): Fix {
  return {
    title: 'Read the database without locks, and write to it from one process',
    text: 'One writer at a time has all of an SQLite database, and the others sleep and try again. What is only read is best opened as immutable, or in WAL mode, in which readers wait for nobody. Gather what is written, and write it in one process and one transaction.',
    before: `import sqlite3

sqlite3.connect("samples.db").execute("CREATE TABLE IF NOT EXISTS seen (row)").connection.close()

class Counted(Dataset):
    def __len__(self):
        return len(index)

    def __getitem__(self, row):
        with sqlite3.connect("samples.db") as database:  # each sample is a transaction
            database.execute("INSERT INTO seen VALUES (?)", (row,))
        return index[row], row

loader = DataLoader(Counted(), batch_size=batch_size, ${workersOption(facts)})
for batch, rows in loader:
    pass`,
    after: `import sqlite3

class Plain(Dataset):
    def __len__(self):
        return len(index)

    def __getitem__(self, row):
        return index[row], row

database = sqlite3.connect("samples.db")
database.execute("CREATE TABLE IF NOT EXISTS seen (row)")
loader = DataLoader(Plain(), batch_size=batch_size, ${workersOption(facts)})
for batch, rows in loader:
    with database:  # the training process writes a whole batch at once
        database.executemany("INSERT INTO seen VALUES (?)", [(int(row),) for row in rows])`,
    language: 'python',
    sources: [
      {
        title: 'SQLite: File Locking And Concurrency',
        url: 'https://www.sqlite.org/lockingv3.html',
      },
      { title: 'SQLite: Write-Ahead Logging', url: 'https://www.sqlite.org/wal.html' },
    ],
  };
}
