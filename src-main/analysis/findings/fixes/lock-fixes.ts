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
    before: `class Locked(Dataset):
    def __init__(self, paths):
        self.paths, self.lock = paths, torch.multiprocessing.Lock()

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        with self.lock:  # one worker at a time
            return torch.from_numpy(decode(self.paths[index]))

loader = DataLoader(Locked(files), batch_size=batch_size, ${workersOption(facts)})`,
    after: `class Own(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        return torch.from_numpy(decode(self.paths[index]))  # each worker by itself

loader = DataLoader(Own(files), batch_size=batch_size, ${workersOption(facts)})`,
    language: 'python',
    sources: sourcesOf(waits),
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
        return len(table)

    def __getitem__(self, row):
        with sqlite3.connect("samples.db") as database:  # each sample is a transaction
            database.execute("INSERT INTO seen VALUES (?)", (row,))
        return table[row], row

loader = DataLoader(Counted(), batch_size=batch_size, ${workersOption(facts)})
for batch, rows in loader:
    pass`,
    after: `import sqlite3

class Plain(Dataset):
    def __len__(self):
        return len(table)

    def __getitem__(self, row):
        return table[row], row

database = sqlite3.connect("samples.db")
database.execute("CREATE TABLE IF NOT EXISTS seen (row)")
loader = DataLoader(Plain(), batch_size=batch_size, ${workersOption(facts)})
for batch, rows in loader:
    with database:  # the training process writes a whole batch at once
        database.executemany("INSERT INTO seen VALUES (?)", [(int(row),) for row in rows])`,
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
    ...(isSqlite ? rowsAtOnce : linesAtOnce),
    language: 'python',
    sources: sourcesOf(waits),
  };
}

const rowsAtOnce = {
  before: `import sqlite3

database = sqlite3.connect("losses.db")
database.execute("CREATE TABLE IF NOT EXISTS losses (step, loss)")
for step in range(8):
    loss = model(features.to(device)).mean()
    with database:  # each step is a transaction, and waits for all who write
        database.execute("INSERT INTO losses VALUES (?, ?)", (step, float(loss)))`,
  after: `import sqlite3
from concurrent.futures import ThreadPoolExecutor

def write(rows):
    database = sqlite3.connect("losses.db", timeout=60)
    with database:
        database.execute("CREATE TABLE IF NOT EXISTS losses (step, loss)")
        database.executemany("INSERT INTO losses VALUES (?, ?)", rows)
    database.close()

losses, written = [], []
with ThreadPoolExecutor(1) as writer:
    for step in range(8):
        losses.append(model(features.to(device)).mean().detach())
        if len(losses) == 3 or step == 7:  # or a hundred; and what is left at the end
            steps = range(step + 1 - len(losses), step + 1)
            written.append(writer.submit(write, list(zip(steps, torch.stack(losses).tolist()))))
            losses = []
for each in written:
    each.result()  # raises what was raised in the thread`,
};

const linesAtOnce = {
  before: `import fcntl

for step in range(8):
    loss = model(features.to(device)).mean()
    with open("losses.txt", "a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # each step waits for whoever has it
        file.write(f"{float(loss)}\\n")`,
  after: `import fcntl
from concurrent.futures import ThreadPoolExecutor

def write(values):
    lines = "".join(f"{value}\\n" for value in values)
    with open("losses.txt", "a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(lines)

losses, written = [], []
with ThreadPoolExecutor(1) as writer:
    for step in range(8):
        losses.append(model(features.to(device)).mean().detach())
        if len(losses) == 3 or step == 7:  # or a hundred; and what is left at the end
            written.append(writer.submit(write, torch.stack(losses).tolist()))
            losses = []
for each in written:
    each.result()  # raises what was raised in the thread`,
};

/** Of a semaphore that another process lets go of, as that of a queue which is full. `isSeen`: it is told what that one did meanwhile. */
export function handOverFix(place: string | undefined, isSeen: boolean): Fix {
  const where = place === undefined ? '' : ` in ${place}`;
  const queue = 'multiprocessing.Queue(maxsize=';
  const keep = `import multiprocessing

def keep(results):
    while (values := results.get()) is not None:
        sum(values)
`;
  return {
    title: `Let the other process keep up with the loop${where}`,
    text: `What one process hands to another goes through a queue, a pipe or a semaphore, and the loop waits while there is no room. ${isSeen ? 'See above what the other process did meanwhile, work or sleep: without that, it keeps up. ' : ''}A longer queue bridges a pause. Where the other process takes longer per item than a step takes, it has to do less, or several processes have to share it; or let the loop hand over less: figures instead of tensors, and only every few steps.`,
    before: `${keep}
results = ${queue}2)
keeper = multiprocessing.Process(target=keep, args=(results,))
keeper.start()
for step in range(8):
    results.put(model(features.to(device)).mean(1).tolist())  # waits while the queue is full
results.put(None)
keeper.join()`,
    after: `${keep}
results = ${queue}64)
keepers = [multiprocessing.Process(target=keep, args=(results,)) for _ in range(2)]
for keeper in keepers:
    keeper.start()
for step in range(8):
    results.put(model(features.to(device)).mean(1).tolist())
for keeper in keepers:
    results.put(None)
for keeper in keepers:
    keeper.join()`,
    language: 'python',
    sources: [avoidSharing],
  };
}
