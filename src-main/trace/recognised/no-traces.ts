import { claimsBenchmark } from '../../shared/answers/benchmark-result.ts';
import { CHOOSE_A_TRACE, RECORD, type Recognised } from './recognised.ts';

/** What is dropped on a window by mistake, or came from a download that failed. The most general come last. */

/** One that stands alone opens as what it is: this one was compressed. */
const benchmark: Recognised = {
  is: 'a compressed result of the benchmark script',
  instead: 'unpack it, then open what comes out',
  isNoTrace: true,
  isIn: ({ text }) => claimsBenchmark(text),
};

const webPage: Recognised = {
  is: 'a web page',
  but: 'such as a server sends instead of a file',
  instead: 'download the file itself',
  isNoTrace: true,
  isIn: ({ text }) => /^\ufeff?\s*<(?:!doctype html|html)\b/i.test(text),
};

const program: Recognised = {
  is: 'a program',
  instead: `to see why its GPU waits, ${RECORD}, then open what that writes`,
  isNoTrace: true,
  isIn: ({ bytes }) => bytes.toString('latin1', 0, 4) === '\x7fELF',
};

/** Protocol 2 and later, as `pickle` and PyTorch's memory snapshots have it. */
const pickle: Recognised = {
  is: 'a Python pickle',
  but: 'which Stalltrace never reads, because reading one runs its code',
  instead: 'choose a trace',
  isNoTrace: true,
  isIn: ({ bytes }) => /^80(?:02|03|0495|0595)/.test(bytes.toString('hex', 0, 3)),
};

const json: Recognised = {
  is: 'JSON',
  but: 'but no trace that Stalltrace knows',
  instead: CHOOSE_A_TRACE,
  isNoTrace: true,
  isIn: ({ keys }) => keys.size > 0,
};

const text: Recognised = {
  is: 'text',
  but: 'not a trace',
  instead: CHOOSE_A_TRACE,
  isNoTrace: true,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what has one is no text
  isIn: ({ text: content }) => !/[\0-\x06\x0e-\x1a\x1c-\x1f\ufffd]/.test(content),
};

export const noTraces: readonly Recognised[] = [benchmark, webPage, program, pickle, json, text];
