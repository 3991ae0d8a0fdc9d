import { fail, type Result } from '../../shared/rpc/result.ts';
import type { TraceFileError } from '../../shared/rpc/trace-file-errors.ts';
import { formatBytes } from '../../shared/text/units.ts';
import type { Packing } from './packing.ts';

/** What keeps a packed file from being unpacked. */
type Why = 'cut' | 'damaged' | 'trailing' | 'window' | 'frames' | 'dictionary' | 'bomb' | 'changed';

export class PackedWrong extends Error {
  readonly why: Why;

  constructor(why: Why, detail: string) {
    super(detail);
    this.why = why;
  }
}

type Sentence = (packing: Packing) => readonly [TraceFileError, string];

const again = 'copy it again from where it came from';
const unpackYourself = (packing: Packing, options = '') =>
  `unpack it with \`${packing} -d${options}\`, then open what comes out`;

const sentences: Readonly<Record<Why, Sentence>> = {
  cut: () => ['file-truncated', `ends too early: ${again}`],
  damaged: (packing) => [
    'file-damaged',
    `is damaged: its ${packing} data can't be unpacked, ${again}`,
  ],
  trailing: (packing) => [
    'file-damaged',
    `goes on with other bytes where its ${packing} data ends: ${again}, or ${unpackYourself(packing)}`,
  ],
  window: (packing) => [
    'file-unsafe',
    `needs more than ${formatBytes(2 ** 27)} of memory to be unpacked: ${unpackYourself(packing, ' --long=31')}`,
  ],
  frames: (packing) => [
    'file-unsafe',
    `is made of more pieces than a trace is: ${unpackYourself(packing)}`,
  ],
  dictionary: (packing) => [
    'file-unsafe',
    `needs a dictionary that is not in it: ${unpackYourself(packing, ' -D DICTIONARY')}`,
  ],
  bomb: () => [
    'file-unsafe',
    'unpacks to far more than any trace does, so it was not opened: ask its sender how it was made',
  ],
  changed: () => [
    'file-busy',
    'was written to while it was unpacked: wait until it is whole, then open it again',
  ],
};

export function packedFailure(
  { why, message: detail }: PackedWrong,
  packing: Packing,
  fileName: string,
): Result<never, TraceFileError> {
  const [code, words] = sentences[why](packing);
  return fail(code, `“${fileName}” ${words}.`, detail);
}
