import type { Fix, FixSource } from '../../../shared/answers/diagnosis.ts';
import type { RankFacts } from '../facts/facts.ts';
import { workersOption } from '../facts/job-shape.ts';
import type { LockWaits } from '../facts/lock-waits.ts';

/** What to do about waiting for locks that processes share. */

const manual = (page: string): FixSource => ({
  title: `Linux: ${page}`,
  url: `https://man7.org/linux/man-pages/man2/${page.replace('(2)', '')}.2.html`,
});

const sqliteDocs: FixSource[] = [
  { title: 'SQLite: File Locking And Concurrency', url: 'https://www.sqlite.org/lockingv3.html' },
  { title: 'SQLite: Write-Ahead Logging', url: 'https://www.sqlite.org/wal.html' },
];

const avoidSharing: FixSource = {
  title: 'Python: multiprocessing, better to inherit than pickle and unpickle; avoid shared state',
  url: 'https://docs.python.org/3/library/multiprocessing.html#programming-guidelines',
};

/** What is known of a kind of lock. */
function sourcesOf({ lock }: LockWaits): FixSource[] {
  if (lock.kind === 'sqlite') return sqliteDocs;
  if (lock.kind === 'memory') return [avoidSharing];
  // Libraries that try again and again lock files, mostly so.
  return [manual(lock.kind === 'record lock' ? 'fcntl(2)' : 'flock(2)')];
}

/** Who sleeps between two tries sleeps on after the lock is free. */
const polledText = ({ lock }: LockWaits) =>
  lock.kind === 'polled'
    ? ' The library sleeps between two tries, also while the lock is free: where it has an option for that (poll_interval, check_interval), a shorter time is less waiting.'
    : '';

/** Of the makers of batches. */
export function loaderLockFix(facts: RankFacts, waits: LockWaits): Fix {
  if (waits.lock.kind === 'sqlite') return sqliteFix(facts);
  return {
    title: waits.takesTurns
      ? 'Give each worker its own handle or data, so that none waits for the lock'
      : 'Let go of the lock, or do without it',
    text: `While one has the lock, all others wait: more workers do not help. Give each worker a handle, a connection or a piece of the data of its own; read only what nobody writes, which takes no lock; and where there has to be one, do the reading and decoding before it is taken, and keep it for the moment that needs it.${polledText(waits)}`,
    before: `from torch.utils.data import Dataset

class YourDataset(Dataset):
    def __len__(self):
        return len(your_inputs)

    def __getitem__(self, index):
        with your_lock:  # one worker at a time
            return your_prepare(your_read(your_inputs[index]))`,
    after: `from torch.utils.data import Dataset

class YourDataset(Dataset):
    def __len__(self):
        return len(your_inputs)

    def __getitem__(self, index):
        with your_lock:
            raw = your_read(your_inputs[index])  # only what needs the lock
        return your_prepare(raw)  # side by side with the other workers`,
    language: 'python',
    sources: sourcesOf(waits),
  };
}

function sqliteFix(facts: RankFacts): Fix {
  const loader = `loader = DataLoader(YourDataset(), batch_size=your_batch_size, ${workersOption(facts)}, **your_options)`;
  return {
    title: 'Read the database without locks, and write to it from one process',
    text: 'One writer at a time has all of an SQLite database, and the others sleep and try again. What is only read is best opened as immutable, or in WAL mode, in which readers wait for nobody. Gather what is written, and write it in one process and one transaction.',
    before: `import sqlite3
from torch.utils.data import Dataset

class YourDataset(Dataset):
    def __len__(self):
        return len(your_inputs)

    def __getitem__(self, index):
        with sqlite3.connect(your_database) as database:  # each sample is a transaction
            database.execute(your_statement, (index,))
        return your_prepare(your_inputs[index])

${loader}`,
    after: `import sqlite3
from torch.utils.data import Dataset

class YourDataset(Dataset):
    def __len__(self):
        return len(your_inputs)

    def __getitem__(self, index):
        return your_prepare(your_inputs[index]), index  # what is to be written goes with it

${loader}
database = sqlite3.connect(your_database)
for batch, rows in loader:
    with database:  # the training process writes a whole batch at once
        database.executemany(your_statement, [(int(row),) for row in rows])
    your_step(batch)`,
    language: 'python',
    sources: sqliteDocs,
  };
}

/** Of the training loop itself. */
export function loopLockFix(waits: LockWaits, place: string | undefined): Fix {
  const where = place === undefined ? '' : ` in ${place}`;
  const isSqlite = waits.lock.kind === 'sqlite';
  return {
    title: isSqlite
      ? `Let a thread write to the database${where}, many rows at a time`
      : `Do what needs the lock${where} in a thread, or seldom`,
    text: isSqlite
      ? 'One writer at a time has all of an SQLite database, and the others sleep and try again. Gather what is written, and let a thread write it, many rows in one transaction: then only that thread waits. In WAL mode, readers wait for nobody.'
      : `The GPU gets nothing new to do while the loop waits for whoever has the lock. Gather what has to be done under it, and let a thread do that for many steps at once: then only that thread waits. Let the others hold the lock only for the change, and read, compute and sleep before they take it. What is only read needs no lock where a new version is written beside it and put in place by os.replace().${polledText(waits)}`,
    ...(isSqlite ? rowsAtOnce : allAtOnce),
    language: 'python',
    sources: sourcesOf(waits),
  };
}

const inThread = (written: string) => `
values, writes = [], []
writer = ThreadPoolExecutor(1)  # one thread: all is written in its order
for step, batch in enumerate(your_loader):
    values.append((step, your_step(batch).detach()))
    if len(values) == 100:  # what is left is written at the end
        writes.append(writer.submit(${written}, values))
        values = []
writes.append(writer.submit(${written}, values))
for each in writes:
    each.result()  # raises what was raised in the thread`;

const rowsAtOnce = {
  before: `import sqlite3

database = sqlite3.connect(your_database)
for step, batch in enumerate(your_loader):
    value = your_step(batch)
    with database:  # each step is a transaction, and waits for all who write
        database.execute(your_insert, (step, float(value)))`,
  after: `import sqlite3
from concurrent.futures import ThreadPoolExecutor

def write_rows(values):
    database = sqlite3.connect(your_database, timeout=60)
    with database:  # one transaction for all of them
        database.executemany(your_insert, [(step, float(value)) for step, value in values])
    database.close()
${inThread('write_rows')}`,
};

const allAtOnce = {
  before: `for step, batch in enumerate(your_loader):
    your_locked([(step, your_step(batch))])  # each step waits for whoever has the lock`,
  after: `from concurrent.futures import ThreadPoolExecutor
${inThread('your_locked')}`,
};

/** Of a semaphore that another process lets go of, as that of a queue which is full. `isSeen`: it is told what that one did meanwhile. */
export function handOverFix(place: string | undefined, isSeen: boolean): Fix {
  const where = place === undefined ? '' : ` in ${place}`;
  return {
    title: `Let the other process keep up with the loop${where}`,
    text: `What one process hands to another goes through a queue, a pipe or a semaphore, and the loop waits while there is no room. ${isSeen ? 'See above what the other process did meanwhile, work or sleep: without that, it keeps up. ' : ''}A longer queue bridges a pause. Where the other process takes longer per item than a step takes, it has to do less, or several processes have to share it, which then handle results in another order; or let the loop hand over less: figures instead of tensors, and only every few steps.`,
    before: `import multiprocessing

results = multiprocessing.Queue(maxsize=2)
keeper = multiprocessing.Process(target=your_keeper, args=(results,))
keeper.start()
for batch in your_loader:
    results.put(your_step(batch).detach().cpu())  # waits while the queue is full
results.put(None)
keeper.join()`,
    after: `import multiprocessing

results = multiprocessing.Queue(maxsize=64)  # room for a pause of the other process
keeper = multiprocessing.Process(target=your_keeper, args=(results,))
keeper.start()
for batch in your_loader:
    results.put(your_step(batch).tolist())  # figures: no tensor has to be sent
results.put(None)
keeper.join()`,
    language: 'python',
    sources: [avoidSharing],
  };
}
