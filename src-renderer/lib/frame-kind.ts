import type { FlameFrame } from '../../src-main/shared/answers/flame.ts';

/** Whose code a frame is, as the flame graph colours it. */
export type FrameKind = 'python' | 'framework' | 'native' | 'kernel' | 'gpu' | 'role';

/** Where recorders put what the operating system's kernel ran: `[kernel]`, `[kernel.kallsyms]_text`. */
const KERNEL = /^\[(guest\.)?kernel\b/;
/** Code of the framework the job is written with, by a folder of its package or by its library: `torch/nn/modules/module.py`, `libc10_cuda.so`. */
const FRAMEWORK =
  /(^|[\\/])(torch|torchvision|torchaudio|torchdata|functorch|triton|tensorflow|keras|jax|jaxlib|flax|lightning|lightning_fabric|pytorch_lightning|accelerate|transformers)[\\/]|(^|[\\/])(lib(torch|c10|caffe2|shm|tensorflow|xla)\w*|xla_extension)[.\w-]*\.(so|dll|dylib|pyd)/;

export function frameKind({ language, file = '' }: FlameFrame): FrameKind {
  if (language === 'gpu' || language === 'role') return language;
  if (language === 'native' && KERNEL.test(file)) return 'kernel';
  return FRAMEWORK.test(file) ? 'framework' : language;
}
