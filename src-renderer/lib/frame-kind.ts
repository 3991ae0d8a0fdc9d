import type { FlameFrame } from '../../src-main/shared/answers/flame.ts';

/** Whose code a frame is, as the flame graph colours it. */
export type FrameKind = 'python' | 'framework' | 'native' | 'kernel' | 'gpu' | 'role';

/** Where recorders put what the operating system's kernel ran: `[kernel]`, `[kernel.kallsyms]_text`. */
const KERNEL = /^\[(guest\.)?kernel\b/;
/** Code of the framework the job is written with, by a folder of its package or by its library: `torch/nn/modules/module.py`, `libc10_cuda.so`. */
const FRAMEWORK =
  /(^|[\\/])(torch|torchvision|torchaudio|torchdata|functorch|triton|tensorflow|keras|jax|jaxlib|flax|lightning|lightning_fabric|pytorch_lightning|accelerate|transformers)[\\/]|(^|[\\/])(lib(torch|c10|caffe2|shm|tensorflow|xla)\w*|xla_extension)[.\w-]*\.(so|dll|dylib|pyd)/;

/** What PyTorch calls its operators, and what it and its profiler write around them: such a frame has no file. */
const ANNOTATION =
  /^(?:(?:aten|prim|prims|torch|torchvision|torchaudio|c10d?|autograd|inductor|nccl)::|autograd::|ProfilerStep[#*]|Optimizer\.|enumerate\(DataLoader\)|nn\.Module: |DistributedDataParallel\.|FullyShardedDataParallel\.|Torch-Compiled Region|\w+Backward\d*$)/;

export function frameKind({ language, file = '', symbol = '' }: FlameFrame): FrameKind {
  if (language === 'gpu' || language === 'role') return language;
  if (language === 'native' && KERNEL.test(file)) return 'kernel';
  if (file === '' && ANNOTATION.test(symbol)) return 'framework';
  return FRAMEWORK.test(file) ? 'framework' : language;
}
