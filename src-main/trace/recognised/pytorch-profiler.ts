import { NOT_YET, RECORD, type Recognised } from './recognised.ts';

/** Beside `traceEvents` of any Chrome trace. */
const OWN_KEYS = ['deviceProperties', 'distributedInfo', 'schemaVersion', 'baseTimeNanoseconds'];
/** Where somebody rewrote the file: categories that only it has, those of 2021 included. */
const OWN_CATEGORIES = /"cat":\s*"(?:cpu_op|Operator|cuda_runtime|gpu_memcpy|user_annotation)"/;

/** Kineto's JSON: `torch.profiler` exports it, also as .json.gz. */
export const pytorchProfiler: Recognised = {
  is: 'a trace by the PyTorch profiler (Kineto)',
  but: NOT_YET,
  instead: `look at it at ui.perfetto.dev, or ${RECORD}`,
  isIn: ({ text, keys }) =>
    keys.has('traceEvents') && (OWN_KEYS.some((key) => keys.has(key)) || OWN_CATEGORIES.test(text)),
};
