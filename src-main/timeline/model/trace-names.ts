import type { TraceSummary } from '../../shared/answers/summary.ts';
import { hostNote } from '../../shared/model/hosts.ts';
import type { Role } from '../../shared/model/trace.ts';
import { cleanText } from '../../shared/text/text.ts';
import { onHost } from '../../shared/words/on-host.ts';
import { roleLabels } from '../../shared/words/terms.ts';
import { NEUTRAL_COLOUR, nameColour, type RoleSwatch, roleColour } from './colours.ts';

/** Names, threads and colours of a trace by index, for indexes that may be out of range. */
export interface TraceNames {
  name(index: number): string;
  nameColour(index: number): number;
  /** `DataLoader worker 2 · pt_data_worker · tid 71`, without a role `python3 · tid 9`, of several hosts `… on node2`. */
  threadLabel(thread: number): string;
  threadColour(thread: number): number;
  streamLabel(stream: number): string;
  pidOf(thread: number): number | undefined;
}

/** As who a thread is coloured on the CPU tracks. */
const SWATCHES: Readonly<Record<Role, RoleSwatch>> = {
  main: 'training',
  inference: 'training',
  server: 'training',
  'gpu-process': 'training',
  autograd: 'training',
  nccl: 'training',
  'cuda-driver': 'training',
  watchdog: 'training',
  'dataloader-worker': 'workers',
  'queue-feeder': 'workers',
  'resource-sharer': 'workers',
  'pin-memory': 'pinning',
  kernel: 'kernel',
  launcher: 'others',
  compiler: 'others',
  other: 'others',
};

/** A thread without a role of its own has that of its process. */
export function roleSwatchOf(role: Role, ofProcess: Role | undefined): RoleSwatch {
  return SWATCHES[role === 'other' ? (ofProcess ?? role) : role];
}

/** `label` with its role before it; without one, the label alone. */
export function withRole(label: string, role: Role, worker: number | undefined): string {
  if (role === 'other') return label;
  const number = role === 'dataloader-worker' && worker !== undefined ? ` ${worker}` : '';
  return `${roleLabels[role]}${number} · ${label}`;
}

/** Names, labels and colours of a trace, cleaned: made once, for all tracks. */
export function traceNames(summary: TraceSummary): TraceNames {
  const { readable } = summary.gpuWork;
  const names = summary.names.map((name, index) => cleanText(readable[index] ?? name));
  const colours = Uint8Array.from(names, nameColour);
  const processOf = (thread: number) => summary.processes[summary.threads[thread]?.process ?? -1];
  const threadLabels = summary.threads.map((info, thread) => {
    const process = processOf(thread);
    const name = info.name || process?.name || 'thread';
    const host = process && hostNote(summary, process);
    const label = `${cleanText(name)} · tid ${info.tid}${cleanText(onHost({ host }))}`;
    return withRole(label, info.role, process?.worker);
  });
  return {
    name: (index) => names[index] ?? 'unnamed',
    nameColour: (index) => colours[index] ?? NEUTRAL_COLOUR,
    threadLabel: (thread) => threadLabels[thread] ?? 'unknown thread',
    threadColour(thread) {
      const info = summary.threads[thread];
      if (info === undefined) return NEUTRAL_COLOUR;
      return roleColour(roleSwatchOf(info.role, processOf(thread)?.role));
    },
    streamLabel: (stream) => cleanText(summary.streams[stream] ?? ''),
    pidOf: (thread) => processOf(thread)?.pid,
  };
}
