import type { TraceSummary } from '../../shared/answers/summary.ts';
import { hostNote } from '../../shared/model/hosts.ts';
import type { Role } from '../../shared/model/trace.ts';
import { cleanText } from '../../shared/text/text.ts';
import { onHost } from '../../shared/words/on-host.ts';
import { NEUTRAL_COLOUR, nameColour } from './colours.ts';

/** Names, threads and colours of a trace by index, for indexes that may be out of range. */
export interface TraceNames {
  name(index: number): string;
  nameColour(index: number): number;
  /** `python3 · tid 9`, of several hosts `python3 · tid 9 on node2`. */
  threadLabel(thread: number): string;
  threadColour(thread: number): number;
  streamLabel(stream: number): string;
  pidOf(thread: number): number | undefined;
}

/** Palette indexes of the roles on the CPU tracks. */
const ROLE_COLOURS: Readonly<Partial<Record<Role, number>>> = {
  main: 5,
  inference: 5,
  server: 5,
  'dataloader-worker': 1,
  'pin-memory': 3,
  kernel: NEUTRAL_COLOUR,
};

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
    return `${cleanText(name)} · tid ${info.tid}${cleanText(onHost({ host }))}`;
  });
  return {
    name: (index) => names[index] ?? 'unnamed',
    nameColour: (index) => colours[index] ?? NEUTRAL_COLOUR,
    threadLabel: (thread) => threadLabels[thread] ?? 'unknown thread',
    threadColour(thread) {
      const info = summary.threads[thread];
      if (info === undefined) return NEUTRAL_COLOUR;
      return ROLE_COLOURS[info.role] ?? nameColour(processOf(thread)?.name ?? info.name);
    },
    streamLabel: (stream) => cleanText(summary.streams[stream] ?? ''),
    pidOf: (thread) => processOf(thread)?.pid,
  };
}
