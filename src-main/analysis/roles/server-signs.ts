import { NONE } from '../../shared/model/schema.ts';
import { fileOf } from '../../shared/model/stacks.ts';
import type { ProcessInfo, Trace } from '../../shared/model/trace.ts';
import { perTrace } from '../index/per-trace.ts';
import { isCompileWorker } from '../jobs/compile-worker.ts';
import type { ProcessTree } from '../jobs/process-tree.ts';
import { callFrames } from './call-frames.ts';

/** Programs that answer requests with a model, as their processes are called; Linux keeps 15 characters. */
const SERVER_NAME =
  /^(vllm|sglang|sgl_|tritonserver|text-generation|ollama|llama-server|lmdeploy|trtllm|torchserve|bentoml|xinference|mlc_llm|uvicorn|gunicorn|hypercorn|ray::Serve)/i;
const SERVER_COMMAND =
  /\bvllm(\.entrypoints\S*|\S* serve)\b|sglang\.launch_server|tritonserver|text-generation-(server|launcher)|llama-server|ollama (serve|runner)|lmdeploy serve|trtllm-serve|torchserve|bentoml serve|\b(uvicorn|gunicorn|hypercorn)\b/i;
const SERVER_FILE =
  /(^|\/)(vllm\/(v1\/)?(engine|entrypoints|worker|executor)|sglang\/srt|text_generation_server|lmdeploy\/(serve|pytorch\/engine)|tensorrt_llm\/(serve|executor)|uvicorn|ts\/model_service_worker)(\/|\.py)/;

/** Compilers that frameworks start while they run: of CUDA, Triton and torch.compile. */
const COMPILER_NAME =
  /^(ptxas|cicc|nvcc|cudafe\+\+|fatbinary|nvlink|cc1(plus)?|cc|gcc|g\+\+|c\+\+|clang(\+\+)?|collect2|lto1|ld(\..+)?|as|ninja|x86_64-linux-gn.*|aarch64-linux-g.*)(-\d+)?$/;

/** What starts compilers and does nothing else. */
const BUILD_TOOL = /^(sh|bash|dash|make|gmake|cmake|ccache|sccache|hipcc)$/;

/** Why a process is taken for a part of a server; undefined where nothing says so. */
export function ownServerSign(trace: Trace, process: number): string | undefined {
  const { name, commandLine = '' } = trace.processes[process];
  if (SERVER_NAME.test(name)) return `named ${name}, as a model server is`;
  return SERVER_COMMAND.test(commandLine) ? 'its command line starts a model server' : undefined;
}

/** Of each process, the nearest one above it that is a part of a server by itself; -1 = none. */
export function serversAbove(trace: Trace, { parents, order }: ProcessTree): Int32Array {
  const above = new Int32Array(parents.length).fill(NONE);
  for (const process of order) {
    const parent = parents[process];
    if (parent === NONE) continue;
    above[process] = ownServerSign(trace, parent) === undefined ? above[parent] : parent;
  }
  return above;
}

/** The same of a process that makes CUDA calls: also by the server above it, and by the code that calls. */
export function serverSign(trace: Trace, process: number, above: number): string | undefined {
  const own = ownServerSign(trace, process);
  if (own !== undefined) return own;
  if (above !== NONE) {
    const { name, pid } = trace.processes[above];
    return `started by the server ${name} (${pid})`;
  }
  const frame = framesOfServers(trace).get(process);
  return frame === undefined
    ? undefined
    : `its CUDA calls come from ${fileOf(trace.stacks, frame)}`;
}

/** Why a process that belongs to a job compiles code; `starter` started it. Undefined where nothing says so. */
export function compilerSign(
  { name, commandLine = '' }: ProcessInfo,
  starter: ProcessInfo,
): string | undefined {
  if (isCompilerName(name)) return `named ${name}, a compiler, started by ${starter.pid}`;
  return isCompileWorker(commandLine)
    ? `a process in which torch.compile compiles, started by ${starter.pid}`
    : undefined;
}

/** Whether a process of this name is there for the compilers that it starts. */
export function isBuildTool(name: string): boolean {
  return BUILD_TOOL.test(name);
}

export function isCompilerName(name: string): boolean {
  return COMPILER_NAME.test(name);
}

const framesOfServers = perTrace((trace) =>
  callFrames(trace, ({ file }) => SERVER_FILE.test(file ?? '')),
);
