import { fileOf, nameInClass, symbolOf } from '../../shared/model/stacks.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { perTrace } from '../index/per-trace.ts';
import { callFrames } from './call-frames.ts';

const WORDS = 'infer(?:ence)?|predict(?:ions?|or)?|transcribe|embed(?:dings?)?';
const INFERENCE_NAME = new RegExp(`(?:^|[^a-z])(${WORDS})(?:[^a-z]|$)`, 'i');
/** Of what calls the GPU: by the name of the script, or a library's part that only runs models. */
const INFERENCE_FILE = new RegExp(
  `(^|/)(transformers/(generation|pipelines)/|ultralytics/engine/predictor|lm_eval/|([^/]*[^a-z/])?(${WORDS}|generate)([^a-z/][^/]*)?\\.py$)`,
);
const INFERENCE_FUNCTION = new RegExp(`^_?(run_)?(${WORDS}|generate)(_[a-z_]+)?$`);
/** What `torch.no_grad` and `torch.inference_mode` call a function with that they decorate. */
const NO_GRADIENTS = /(^|\/)torch\/(utils\/_contextlib|autograd\/grad_mode)\.py$/;

/** Why a process is taken to run its model over batches; undefined where nothing says so. A loop that trains may do it too. */
export function inferenceSign(trace: Trace, process: number): string | undefined {
  const { name, commandLine = '' } = trace.processes[process];
  const [, word] = INFERENCE_NAME.exec(name) ?? INFERENCE_NAME.exec(programOf(commandLine)) ?? [];
  if (word !== undefined) return `started as “${word}”`;
  const frame = framesOfInference(trace).get(process);
  if (frame === undefined) return undefined;
  const { stacks } = trace;
  return NO_GRADIENTS.test(fileOf(stacks, frame))
    ? 'its CUDA calls come from a function that computes no gradients'
    : `its CUDA calls come from ${symbolOf(stacks, frame)} (${fileOf(stacks, frame)})`;
}

/** What is run: the program, and a word that tells it what to do. `--embed-dim 512` and `data/embeddings` say nothing of that. */
function programOf(commandLine: string): string {
  const [program = ''] = commandLine.split(/ --/, 1);
  return /^.*?\.py(?: \w+(?= |$))?/.exec(program)?.[0] ?? program;
}

const framesOfInference = perTrace((trace) =>
  callFrames(
    trace,
    ({ symbol, file = '' }) =>
      INFERENCE_FILE.test(file) ||
      INFERENCE_FUNCTION.test(nameInClass(symbol)) ||
      (symbol === 'decorate_context' && NO_GRADIENTS.test(file)),
  ),
);
