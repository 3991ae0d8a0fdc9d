import type { Frame } from '../../shared/model/stacks.ts';
import type { Role } from '../../shared/model/trace.ts';

/** PyTorch names the process of each DataLoader worker so (torch/utils/data/_utils/worker.py). */
export const WORKER_NAME = 'pt_data_worker';

/** PyTorch names the thread that copies batches into pinned memory so (…/_utils/pin_memory.py). */
export const PIN_THREAD_NAME = 'pt_data_pin';

/** Names Linux gives its own threads (kthread_create in kernel/, mm/, block/). */
export const KERNEL_THREAD_NAME =
  /^(kthreadd$|kworker\/|ksoftirqd\/|migration\/|swapper\/|rcu_|rcuo|kcompactd|kswapd|khugepaged$|kdevtmpfs$|cpuhp\/|idle_inject\/|irq\/|jbd2\/|oom_reaper$|watchdogd?\/?)/;

interface ThreadName {
  readonly pattern: RegExp;
  readonly role: Role;
  /** Whose name it is. */
  readonly of: string;
}

/**
 * Names of threads that tell what they do. Python gives its own names to the kernel from 3.14 on;
 * Linux keeps 15 characters.
 */
const threadNames: readonly ThreadName[] = [
  { pattern: /^pt_data_pin|\(_pin_/, role: 'pin-memory', of: 'the thread that pins batches' },
  { pattern: /^QueueFeederThre|\(_feed/, role: 'queue-feeder', of: 'a queue’s feeder thread' },
  { pattern: /\(_serv/, role: 'resource-sharer', of: 'multiprocessing’s resource sharer' },
  { pattern: /^pt_autograd/, role: 'autograd', of: 'an autograd thread' },
  {
    pattern: /^pt_nccl_(watchdg|heartbt)|^pt_(gloo|ucc|mpi)_watch/,
    role: 'watchdog',
    of: 'what watches the process group',
  },
  { pattern: /^(NCCL |nccl|pt_nccl)/, role: 'nccl', of: 'an NCCL thread' },
  { pattern: /^cuda(-|\d{8})/, role: 'cuda-driver', of: 'a thread of the CUDA driver' },
];

/** What a thread that is called so does, and why that is known; `undefined` where the name says nothing. */
export function roleByThreadName(name: string): { role: Role; basis: string } | undefined {
  const known = threadNames.find(({ pattern }) => pattern.test(name));
  return known && { role: known.role, basis: `named ${name}, the name of ${known.of}` };
}

interface Loop {
  readonly symbol: RegExp;
  readonly file: RegExp;
  readonly role: Role;
}

/** The functions that Python's and PyTorch's helper threads run in all their life. */
const loops: readonly Loop[] = [
  { symbol: /(^|\.)_feed$/, file: /multiprocessing\/queues\.py$/, role: 'queue-feeder' },
  { symbol: /(^|\.)_serve$/, file: /resource_sharer\.py$/, role: 'resource-sharer' },
  { symbol: /^_pin_memory_loop$/, file: /_utils\/pin_memory\.py$/, role: 'pin-memory' },
];

/** The helper thread whose own function this frame is of. */
export function roleByFrame({ symbol, file }: Frame): { role: Role; basis: string } | undefined {
  const known = loops.find((loop) => loop.symbol.test(symbol) && loop.file.test(file ?? ''));
  return known && { role: known.role, basis: `was seen in ${symbol}` };
}
