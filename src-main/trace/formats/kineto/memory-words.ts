import {
  codeOf,
  type Direction,
  directions,
  gpuWorkKinds,
  memoryKinds,
} from '../../../shared/model/codes.ts';

/** What the name of a copy or fill says: only there do recorders tell its way and its memory. */
export interface CopyWords {
  readonly direction: number;
  readonly source: number;
  readonly destination: number;
}

const NOT_KNOWN = 0;
/** `Memcpy HtoD (Pinned -> Device)`; HIP says `Host` for host memory of whatever kind, as CUPTI's `Unknown`. */
const COPY = /^Memcpy (\w+)(?: \((\w+) -> (\w+)\))?/;
const FILL = /^Memset \((\w+)\)/;

const directionWords: Readonly<Record<string, Direction>> = {
  HtoD: 'H2D',
  HtoA: 'H2D',
  DtoH: 'D2H',
  AtoH: 'D2H',
  DtoD: 'D2D',
  AtoA: 'D2D',
  AtoD: 'D2D',
  DtoA: 'D2D',
  HtoH: 'H2H',
  PtoP: 'P2P',
};

const memoryWords: Readonly<Record<string, (typeof memoryKinds)[number]>> = {
  Pageable: 'pageable',
  Pinned: 'pinned',
  Managed: 'managed',
  'Managed Static': 'managed',
  Device: 'device',
  Array: 'array',
};

export function copyWords(name: string): CopyWords {
  const [, way = '', source = '', destination = ''] = COPY.exec(name) ?? [];
  const direction = Object.hasOwn(directionWords, way) ? directionWords[way] : 'unknown';
  return {
    direction: codeOf(directions, direction),
    source: memoryOf(source),
    destination: memoryOf(destination),
  };
}

export function fillWords(name: string): CopyWords {
  const memory = FILL.exec(name)?.[1] ?? '';
  return {
    direction: codeOf(directions, 'none'),
    source: NOT_KNOWN,
    destination: memoryOf(memory),
  };
}

function memoryOf(word: string): number {
  return Object.hasOwn(memoryWords, word) ? codeOf(memoryKinds, memoryWords[word]) : NOT_KNOWN;
}

export const WORK = {
  kernel: codeOf(gpuWorkKinds, 'kernel'),
  copy: codeOf(gpuWorkKinds, 'copy'),
  fill: codeOf(gpuWorkKinds, 'fill'),
};
