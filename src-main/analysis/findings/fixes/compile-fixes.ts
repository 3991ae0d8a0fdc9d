import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { pytorchDocs } from './sources.ts';

/** Ways out of compiling while somebody waits. */

const recompilations = pytorchDocs(
  'Dealing with recompilations',
  'docs/stable/compile/programming_model.recompilation.html',
);
const caching = pytorchDocs(
  'Compile time caching in torch.compile',
  'tutorials/recipes/torch_compile_caching_tutorial.html',
);

/** torch.compile or Triton compiles again at new shapes. */
export const oneProgramForAll: Fix = {
  title: 'Compile one program for all shapes, before the first step',
  text: 'torch.compile and Triton compile again at a call with a shape, a type or a Python number that they have not seen; TORCH_LOGS=recompiles prints what was new. dynamic=True makes one program for all sizes, torch._dynamo.mark_dynamic(batch, 0) one for all sizes of the first dimension. Where programs of fixed sizes are faster, pad batches to a few sizes (and use drop_last=True), and run each once before anybody waits; for training with gradients, as a step does. With TORCHINDUCTOR_CACHE_DIR and TRITON_CACHE_DIR on a disk that lasts, the next start finds what this one compiled.',
  before: `if hasattr(torch, "compile"):  # from PyTorch 2.0 on
    your_model = torch.compile(your_model)`,
  after: `if hasattr(torch, "compile"):  # from PyTorch 2.0 on
    your_model = torch.compile(your_model, dynamic=True)
your_model(your_example.to(your_device))  # compiles, before anybody waits for an answer`,
  language: 'python',
  sources: [recompilations, caching],
};

/** torch.compile or Triton compiles as the job starts. */
export const keepCompiled: Fix = {
  title: 'Keep what was compiled on a disk that lasts, and warm up before you measure or serve',
  text: 'By default the compiled code is in /tmp and in the home folder, which a new container does not have: then each start compiles everything again. Put a folder that lasts in place of /your/disk: from there the next start reads it, on the same kind of GPU with the same versions. Answer a request of each size, or run a few steps, before the clock starts or the server is called ready.',
  before: 'python train.py',
  after: `export TORCHINDUCTOR_CACHE_DIR=/your/disk/inductor
export TRITON_CACHE_DIR=/your/disk/triton
python train.py`,
  language: 'shell',
  sources: [caching],
};

/** PyTorch builds an extension as the job starts. */
export const keepExtensions: Fix = {
  title: 'Build extensions once, for the GPUs that you have',
  text: 'torch.utils.cpp_extension.load builds where it finds no build of these sources, in ~/.cache unless TORCH_EXTENSIONS_DIR says otherwise: a new container has none, so put a folder that lasts in place of /your/disk. Without TORCH_CUDA_ARCH_LIST it builds for the GPUs that it sees; where it sees none, as while an image is built, it may build for many kinds. A wheel that was built beforehand, and is installed with the image, builds nothing at all.',
  before: 'python train.py',
  after: `export TORCH_EXTENSIONS_DIR=/your/disk/extensions
export TORCH_CUDA_ARCH_LIST="$(python -c 'import torch; print("%d.%d" % torch.cuda.get_device_capability())')"
python train.py`,
  language: 'shell',
  sources: [pytorchDocs('torch.utils.cpp_extension', 'docs/stable/cpp_extension.html')],
};

/** The job's own code starts compilers. */
export const keepBuilds: Fix = {
  title: 'Compile for a few sizes before the first step, and keep what was compiled',
  text: 'Code compiled for one size is of no use for the next one, and whoever asked waits for the compiler. A few sizes to which batches are padded can all be compiled beforehand; a cache in memory, and files on a disk that lasts, save the rest. Padding must not change what is computed for the other rows: where a row depends on all of its batch, as with batch norm, leave the sizes as they are.',
  before: `for batch in your_batches:
    your_use_of(your_build(len(batch))(batch))  # compiles for each new size`,
  after: `import functools

SIZES = (8, 16, 32)  # a few, rising, up to your largest batch
built = functools.cache(your_build)
for size in SIZES:  # before anybody waits for an answer
    built(size)

for batch in your_batches:
    size = min((each for each in SIZES if each >= len(batch)), default=len(batch))
    padding = batch.new_zeros((size - len(batch), *batch.shape[1:]))
    result = built(size)(torch.cat([batch, padding]))
    your_use_of(result[:len(batch)])  # without what padding added`,
  language: 'python',
  sources: [
    {
      title: 'Python: functools.cache()',
      url: 'https://docs.python.org/3/library/functools.html#functools.cache',
    },
  ],
};
