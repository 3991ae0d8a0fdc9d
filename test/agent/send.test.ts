import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openRecording, scratchFolder } from '../support/agent/agent.ts';
import { agentPath, value } from '../support/agent/agent-run.ts';
import {
  type Sender,
  type SentAnswer,
  sha256Of,
  startSender,
  unpackFrame,
} from '../support/agent/agent-sender.ts';
import { describeWith } from '../support/requirements.ts';

/** `send`: a file in parts, as they are asked for. */

const MiB = 1 << 20;

/** Half rows like a trace's, half noise. */
function mixedBytes(bytes: number): Buffer {
  const out = Buffer.alloc(bytes);
  for (let at = 0; at + 8 <= bytes / 2; at += 8) out.writeUInt32LE(at >> 5, at);
  randomBytes(bytes >> 1).copy(out, bytes - (bytes >> 1));
  return out;
}

function fileOf(contents: Buffer | string): string {
  const path = join(scratchFolder(), 'a.trace.db');
  writeFileSync(path, contents);
  return path;
}

function start(path: string): Sender {
  const sender = startSender(path);
  onTestFinished(() => void sender.process.kill('SIGKILL'));
  return sender;
}

async function started(path: string): Promise<Sender> {
  const sender = start(path);
  expect(await sender.next()).toMatchObject({ event: 'ready' });
  return sender;
}

async function answerTo(sender: Sender, line: string): Promise<SentAnswer | undefined> {
  sender.ask(line);
  return sender.next();
}

/** Every frame of `frameBytes`, asked for at once. */
function framesOf(size: number, frameBytes: number, level: number): string[] {
  return Array.from({ length: Math.ceil(size / frameBytes) }, (_, index) => {
    const offset = index * frameBytes;
    return `frame ${offset} ${Math.min(frameBytes, size - offset)} ${level}`;
  });
}

describeWith(['agent'], 'send', () => {
  test('says which file it is, and gives it back byte for byte', async () => {
    const contents = mixedBytes(9 * MiB + 4321);
    const path = fileOf(contents);
    const sender = start(path);
    const { ino, mtimeNs } = statSync(path, { bigint: true });
    expect(await sender.next()).toMatchObject({
      v: 1,
      event: 'ready',
      agent: expect.any(String),
      protocol: 2,
      file: path,
      bytes: contents.length,
      inode: String(ino),
      modified_unix_ns: String(mtimeNs),
    });
    const asked = framesOf(contents.length, MiB, 1);
    sender.ask(...asked, 'hash');
    const parts: Buffer[] = [];
    const encodings = new Set<unknown>();
    for (const [index] of asked.entries()) {
      const frame = await sender.next();
      if (frame === undefined) throw new Error(sender.stderr());
      expect(frame).toMatchObject({ v: 1, event: 'frame', offset: index * MiB });
      encodings.add(frame.encoding);
      parts.push(unpackFrame(frame));
    }
    expect(Buffer.concat(parts).equals(contents)).toBe(true);
    // Noise is not worth it.
    expect(encodings).toEqual(new Set(['zstd', 'stored']));
    expect(await sender.next()).toMatchObject({
      event: 'hash',
      bytes: contents.length,
      sha256: sha256Of(contents),
    });
    expect(await sender.end()).toBe(0);
    expect(sender.stderr()).toBe('');
  });

  test.each([0, 1, 3, 9, 19])('at level %i', async (level) => {
    const contents = Buffer.from('a row of a trace, and another. '.repeat(5000));
    const sender = await started(fileOf(contents));
    const frame = await answerTo(sender, `frame 7 ${contents.length - 9} ${level}`);
    if (frame === undefined) throw new Error(sender.stderr());
    expect(frame.encoding).toBe(level === 0 ? 'stored' : 'zstd');
    expect(frame.payload.length < contents.length / 10).toBe(level > 0);
    expect(unpackFrame(frame).equals(contents.subarray(7, -2))).toBe(true);
  });

  test('sends an empty file, and no bytes of a full one', async () => {
    const empty = await started(fileOf(''));
    const nothing = { event: 'frame', length: 0, bytes: 0, sha256: sha256Of(Buffer.alloc(0)) };
    expect(await answerTo(empty, 'frame 0 0 1')).toMatchObject(nothing);
    expect(await answerTo(empty, 'hash')).toMatchObject({ bytes: 0, sha256: nothing.sha256 });
    expect(await answerTo(empty, 'frame 0 1 1')).toMatchObject({ event: 'error', code: 'usage' });
    expect(await empty.end()).toBe(0);
    const full = await started(fileOf('four'));
    expect(await answerTo(full, 'frame 4 0 1')).toMatchObject({ ...nothing, offset: 4 });
    expect(await answerTo(full, 'frame 3 1 19')).toMatchObject({ bytes: 1, encoding: 'stored' });
  });

  test.each([
    '',
    'frame',
    'frame 0 1',
    'frame 0 1 1 1',
    'frame  0 1 1',
    'frame 0 1 1 ',
    ' frame 0 1 1',
    'frame -1 1 1',
    'frame 0 -1 1',
    'frame 0 1 -1',
    'frame 0 1 20',
    'frame 0 1 1e0',
    'frame 0x0 1 1',
    'frame 0 67108865 1',
    'frame 5 1 1',
    'frame 0 5 1',
    'frame 18446744073709551615 2 1',
    'frame 9223372036854775807 2 1',
    'frame 99999999999999999999999999 1 1',
    'hash ',
    'HASH',
    'frame 0 1 1\r',
    'frame\0 0 1 1',
    `frame 0 ${'0'.repeat(200)}1 1`,
    'x'.repeat(100_000),
    '\xff\xfe{"v":1}',
    '../../etc/passwd',
  ])('refuses %j and goes on', async (line) => {
    const sender = await started(fileOf('four'));
    expect(await answerTo(sender, line)).toMatchObject({ event: 'error', code: 'usage' });
    const frame = await answerTo(sender, 'frame 0 4 1');
    expect(frame && unpackFrame(frame).toString()).toBe('four');
    expect(await sender.end()).toBe(0);
  });

  test('answers each line of a flood of garbage', async () => {
    const sender = await started(fileOf('four'));
    sender.ask(...Array.from({ length: 5000 }, () => '\0garbage'), 'hash');
    for (let index = 0; index < 5000; index++) expect((await sender.next())?.event).toBe('error');
    expect((await sender.next())?.event).toBe('hash');
  });

  test('takes a line cut off by the end of its input for none', async () => {
    const sender = await started(fileOf('x'.repeat(5000)));
    sender.process.stdin?.write('frame 0 50\nframe 0 4000 1\nframe 0 40');
    expect(await sender.next()).toMatchObject({ event: 'error' });
    sender.process.stdin?.end();
    expect(await sender.next()).toMatchObject({ event: 'frame', length: 4000 });
    expect(await sender.next()).toBeUndefined();
    expect(await sender.end()).toBe(0);
  });

  test.each<[string, (path: string) => void]>([
    ['written to', (path) => appendFileSync(path, 'more')],
    ['written over', (path) => writeFileSync(path, 'x'.repeat(statSync(path).size))],
    ['shortened', (path) => truncateSync(path, 10)],
    ['dated anew', (path) => utimesSync(path, 1, 1)],
    ['removed', (path) => rmSync(path)],
    [
      'replaced',
      (path) => {
        writeFileSync(`${path}.new`, readFileSync(path));
        renameSync(`${path}.new`, path);
      },
    ],
    [
      'replaced by a link',
      (path) => {
        renameSync(path, `${path}.old`);
        symlinkSync(`${path}.old`, path);
      },
    ],
  ])('says that the file was %s meanwhile', async (_, change) => {
    const path = fileOf(mixedBytes(MiB));
    const sender = await started(path);
    expect(await answerTo(sender, 'frame 0 1000 1')).toMatchObject({ event: 'frame' });
    change(path);
    expect(await answerTo(sender, 'frame 0 1000 1')).toMatchObject({
      event: 'error',
      code: 'changed',
    });
    expect(await answerTo(sender, 'hash')).toMatchObject({ event: 'error', code: 'changed' });
    expect(await sender.end()).toBe(0);
  });

  test.each<[string, (folder: string) => string, number]>([
    ['no file', (folder) => join(folder, 'none'), 3],
    ['no folder', (folder) => join(folder, 'none', 'file'), 3],
    ['a folder', (folder) => folder, 1],
    [
      'a link',
      (folder) => {
        symlinkSync('/etc/hostname', join(folder, 'link'));
        return join(folder, 'link');
      },
      1,
    ],
    [
      'a FIFO',
      (folder) => {
        execFileSync('mkfifo', [join(folder, 'fifo')]);
        return join(folder, 'fifo');
      },
      1,
    ],
    ['a device', () => '/dev/zero', 1],
  ])('of %s is refused in one line', async (_, make, code) => {
    const sender = start(make(scratchFolder()));
    expect(await sender.next()).toMatchObject({ v: 1, event: 'error', code: 'io' });
    expect(await sender.next()).toBeUndefined();
    expect(await sender.end()).toBe(code);
    expect(sender.stderr().trim().split('\n')).toHaveLength(1);
  });

  test('ends quietly when nobody reads any more, and while it waits', async () => {
    const contents = mixedBytes(8 * MiB);
    const path = fileOf(contents);
    const busy = await started(path);
    busy.ask(...framesOf(contents.length, MiB, 1));
    await busy.next();
    busy.process.stdout?.destroy();
    const idle = await started(path);
    idle.process.stdout?.destroy();
    for (const { process, stderr } of [busy, idle]) {
      if (process.exitCode === null) await once(process, 'exit');
      expect([process.exitCode, process.signalCode, stderr()]).toEqual([0, null, '']);
    }
  });

  test('a hash that takes long says every 5 s that it goes on', async () => {
    const path = fileOf(Buffer.alloc(0));
    truncateSync(path, 512 * MiB);
    const sender = await started(path);
    const { process } = sender;
    sender.ask('hash');
    const ticks = () => Number(readFileSync(`/proc/${process.pid}/stat`, 'utf8').split(' ')[13]);
    await expect.poll(ticks, { interval: 10 }).toBeGreaterThan(5);
    process.kill('SIGSTOP');
    // By the clock: it need not work for so long.
    await setTimeout(5100);
    process.kill('SIGCONT');
    const said = await sender.next();
    expect(said?.event).toBe('hashing');
    expect(said?.bytes).toBeLessThan(512 * MiB);
    let last = await sender.next();
    while (last?.event === 'hashing') last = await sender.next();
    expect(last).toMatchObject({ event: 'hash', bytes: 512 * MiB });
    expect(await sender.end()).toBe(0);
  });

  test('waits for a reader that sleeps, with little in memory', async () => {
    const contents = mixedBytes(64 * MiB);
    const sender = await started(fileOf(contents));
    sender.ask(...framesOf(contents.length, 4 * MiB, 1), 'hash');
    const status = () => readFileSync(`/proc/${sender.process.pid}/status`, 'utf8');
    const peakKiB = () => Number(/^VmHWM:\s+(\d+)/m.exec(status())?.[1]);
    for (let before = -1; before !== peakKiB(); ) {
      before = peakKiB();
      // Whatever it does without its reader, it does something of it in that time.
      await setTimeout(500);
    }
    // Three parts and one being read; the compressor's own.
    expect(peakKiB()).toBeLessThan(40 * 1024);
    const parts: Buffer[] = [];
    for (let frame = await sender.next(); frame?.event === 'frame'; frame = await sender.next()) {
      parts.push(unpackFrame(frame));
      if (parts.length % 4 === 0) await setTimeout(50);
    }
    expect(Buffer.concat(parts).equals(contents)).toBe(true);
    expect(await sender.end()).toBe(0);
  });

  test('cut off anywhere ends within a moment, its answers whole or cut at the end', async () => {
    const contents = mixedBytes(6 * MiB);
    const path = fileOf(contents);
    for (let round = 0; round < 12; round++) {
      const sender = start(path);
      sender.ask(...framesOf(contents.length, MiB / 2, 1));
      await setTimeout(round * 7);
      sender.process.stdin?.end();
      let frames = 0;
      for (let answer = await sender.next(); answer !== undefined; answer = await sender.next()) {
        if (answer.event === 'ready') continue;
        expect(unpackFrame(answer)).toHaveLength(MiB / 2);
        frames++;
      }
      // All that was asked for before the end.
      expect(frames).toBe(12);
      expect(await sender.end()).toBe(0);
    }
  });

  test('of several at once gives each its parts, and is nice', async () => {
    const contents = mixedBytes(8 * MiB);
    const path = fileOf(contents);
    const senders = await Promise.all([0, 1, 2, 3].map(() => started(path)));
    const asked = framesOf(contents.length, MiB, 1);
    for (const [index, line] of asked.entries()) senders[index % 4]?.ask(line);
    const stat = readFileSync(`/proc/${senders[0]?.process.pid}/stat`, 'utf8');
    expect(Number(stat.slice(stat.lastIndexOf(')')).split(' ')[17])).toBe(10);
    const parts: Buffer[] = [];
    for (const index of asked.keys()) {
      const frame = await senders[index % 4]?.next();
      if (frame !== undefined) parts.push(unpackFrame(frame));
    }
    expect(Buffer.concat(parts).equals(contents)).toBe(true);
  });

  test('without a file, or with more, is refused', async () => {
    for (const args of [['send'], ['send', '--file'], ['send', '--level', '1'], ['send', 'x']]) {
      const child = spawn(agentPath, args, { stdio: 'ignore' });
      const [code] = (await once(child, 'close')) as [number];
      expect(code).toBe(2);
    }
  });
});

interface Detached {
  readonly pid: number;
  readonly run_directory: string;
}

interface Capture {
  readonly file: string;
  readonly pid: number;
  /** How long it had recorded when it told of its progress last. */
  elapsedNs(): number;
}

/** A capture of this process, without BPF, in the background. */
function startCapture(): Capture {
  const folder = scratchFolder();
  const file = join(folder, 'a.trace.db');
  const where = ['--out', file, '--run-dir', join(folder, 'runs')];
  const args = ['record', '--no-bpf', '--detach', '--json', '--all', ...where];
  const said = execFileSync(agentPath, args, { encoding: 'utf8' }).trim().split('\n');
  const { pid, run_directory: run } = JSON.parse(said.at(-1) ?? '') as Detached;
  onTestFinished(() => {
    if (existsSync(`/proc/${pid}`)) process.kill(pid, 'SIGKILL');
  });
  return {
    file,
    pid,
    elapsedNs: () =>
      JSON.parse(readFileSync(join(run, 'heartbeat.json'), 'utf8')).last.elapsed_ns ?? 0,
  };
}

async function fetchWhole(path: string): Promise<Buffer> {
  const sender = start(path);
  const ready = await sender.next();
  expect(ready?.event, JSON.stringify(ready)).toBe('ready');
  const frames = framesOf(Number(ready?.bytes), MiB, 1);
  sender.ask(...frames);
  const parts: Buffer[] = [];
  for (const _ of frames) {
    const frame = await sender.next();
    expect(frame?.event, JSON.stringify(frame)).toBe('frame');
    if (frame !== undefined) parts.push(unpackFrame(frame));
  }
  expect(await sender.end()).toBe(0);
  return Buffer.concat(parts);
}

describeWith(['agent'], 'send of a trace', () => {
  test('whose recorder was killed completes it first, however many ask', async () => {
    const { file, pid, elapsedNs } = startCapture();
    // All but the last second of it is in the file.
    await expect.poll(elapsedNs).toBeGreaterThan(2e9);
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
    // At each moment of the completing, if not in one run then in another.
    const asking = Array.from({ length: 24 }, async (_, turn) => {
      await setTimeout(2 * turn);
      return fetchWhole(file);
    });
    const all = await Promise.all(asking);
    expect(existsSync(`${file}-wal`)).toBe(false);
    for (const bytes of all) expect(bytes.equals(readFileSync(file))).toBe(true);
    const fetched = fileOf(all[0] ?? '');
    openRecording(fetched);
    expect(Number(value(fetched, 'SELECT count(*) FROM sample'))).toBeGreaterThan(5);
  });

  test('that is still recorded is refused, and does no harm', async () => {
    const { file, pid } = startCapture();
    const sender = start(file);
    expect(await sender.next()).toMatchObject({
      event: 'error',
      code: 'io',
      message: expect.stringContaining('is still being recorded'),
    });
    expect(await sender.end()).toBe(1);
    process.kill(pid, 'SIGTERM');
    // Until then it keeps everyone else out.
    await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
    expect(existsSync(`${file}-wal`)).toBe(false);
    openRecording(file);
    expect(Number(value(file, `SELECT count(*) FROM meta WHERE key = 'finished_ns'`))).toBe(1);
  });

  test('leaves alone what is beside a file that is no trace', async () => {
    const path = fileOf('no database');
    writeFileSync(`${path}-wal`, 'of another');
    expect((await fetchWhole(path)).toString()).toBe('no database');
    expect(readFileSync(`${path}-wal`, 'utf8')).toBe('of another');
  });
});

describeWith(['agent', 'root'], 'send, as root', () => {
  test('of a file that its user may not read says so', async () => {
    const folder = scratchFolder();
    chmodSync(folder, 0o711);
    const program = join(folder, 'agent');
    copyFileSync(agentPath, program);
    const path = join(folder, 'file');
    writeFileSync(path, 'secret', { mode: 0o600 });
    const child = spawn(program, ['send', '--file', path], { uid: 65_534, gid: 65_534 });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (data: string) => (output += data));
    const [code] = (await once(child, 'close')) as [number];
    expect(code).toBe(1);
    expect(JSON.parse(output)).toMatchObject({ event: 'error', code: 'io' });
  });
});
