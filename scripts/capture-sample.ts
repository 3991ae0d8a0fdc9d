// `node scripts/capture-sample.ts` as root on Linux: records the bundled sample anew. The job is
// PyTorch's own DataLoader on this machine's kernel, starved of CPU on purpose; only the GPU is
// test/cuda-stand-in. Run it on a quiet machine: whoever else wants the CPU is in the trace.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { hideKernelAddresses } from '../src-main/trace/files/kernel-addresses.ts';
import { agentPath } from '../test/support/agent/agent-run.ts';
import { requireNode24 } from './node-version.mjs';

requireNode24();

const root = resolve(import.meta.dirname, '..');
const sample = join(root, 'resources/sample/dataloader-starvation.trace.db');
/** A place that says nothing of whose machine it is. */
const stage = '/opt/training';
const SIMULATED =
  'There was no GPU: a stand-in for libcudart, which copies at 12 GB/s and waits out its kernels, was called by PyTorch’s own DataLoader. CPUs, scheduler, page faults and stacks are the kernel’s own.';

function stageJob(): string {
  rmSync(stage, { recursive: true, force: true });
  mkdirSync(stage, { recursive: true });
  execFileSync('make', ['-s', '-C', join(root, 'test/cuda-stand-in')], { stdio: 'inherit' });
  cpSync(join(root, 'out/agent-test/libcudart.so.12'), join(stage, 'libcudart.so.12'));
  cpSync(join(root, 'test/agent/jobs/dataloader.py'), join(stage, 'train.py'));
  return join(stage, 'libcudart.so.12');
}

/** Somebody else's backup, which wants a CPU as well. */
function startBackup() {
  return spawn(
    'xz',
    ['--keep', '--stdout', '-6', '--threads=1', '/usr/lib/x86_64-linux-gnu/libtorch_cpu.so.1.13'],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
      cwd: '/',
    },
  );
}

function capture(file: string, library: string): void {
  const job = [
    ...['/usr/bin/python3', 'train.py', '--library', library, '--report', '/dev/null'],
    ...['--workers', '4', '--features', '65536', '--batch', '96', '--items', '1536'],
    ...['--epochs', '2', '--item-cpu-us', '250'],
  ];
  const args = ['record', '--library', library, '--out', file, '--', ...job];
  const { status } = spawnSync(agentPath, args, { cwd: stage, stdio: 'inherit' });
  if (status !== 0) throw new Error(`the job ended with ${status}`);
}

/** Whoever else ran on that machine is nobody's business: they keep their time, not their names. */
function hideStrangers(database: DatabaseSync): void {
  const known = `role IS NOT NULL OR name IN ('xz', 'python3', 'swapper/0') OR name LIKE 'stalltrace-%'`;
  database.exec(`UPDATE process SET name = 'other' WHERE NOT (${known})`);
  database.exec(`UPDATE thread SET name = 'other' WHERE process_id IN
    (SELECT id FROM process WHERE name = 'other')`);
}

/** Says in the file what of it was not real, gives back unused pages, and tells nothing of the kernel's place. */
function label(file: string): void {
  const database = new DatabaseSync(file);
  database.prepare("INSERT INTO meta (key, value) VALUES ('simulated', ?)").run(SIMULATED);
  hideStrangers(database);
  database.exec('PRAGMA page_size = 4096; VACUUM');
  database.close();
  const hidden = hideKernelAddresses(file);
  if (!hidden.ok) throw new Error(hidden.error.message);
}

try {
  const library = stageJob();
  const backup = startBackup();
  const file = join(stage, 'sample.trace.db');
  capture(file, library);
  backup.kill();
  label(file);
  mkdirSync(dirname(sample), { recursive: true });
  cpSync(file, sample);
  console.log(`${sample}: ${statSync(sample).size} bytes. Look at it before you commit it.`);
} finally {
  rmSync(stage, { recursive: true, force: true });
}
