import type { Texts } from './texts.ts';

/**
 * Call stacks of the training script, as a recorder would have seen them: Python’s frames with the
 * line they were at, native ones by their mangled symbol. Invented like the rest.
 */

const CUDART = 'libcudart.so.12';
const TORCH_CUDA = 'libtorch_cuda.so';
const TORCH_CPU = 'libtorch_cpu.so';
const MAIN = `train @ train.py:88
  <module> @ train.py:104`;

const LAUNCH = `cudaLaunchKernel @ ${CUDART}`;
const GEMM = `_ZN2at4cuda4blas4gemmIfEEvcclll @ ${TORCH_CUDA}`;
const CONVOLUTION = `_ZN2at6native17cudnn_convolutionERKNS_6TensorES3_N3c108ArrayRefIlEES6_b @ ${TORCH_CUDA}`;
const ELEMENTWISE = `_ZN2at6native15gpu_kernel_implINS0_13BinaryFunctorIfffNS0_15binary_internal10MulFunctorIfEEEEEEvRNS_18TensorIteratorBaseERKT_ @ ${TORCH_CUDA}
  _ZN2at6native10gpu_kernelINS0_13BinaryFunctorIfffNS0_15binary_internal10MulFunctorIfEEEEEEvRNS_18TensorIteratorBaseERKT_ @ ${TORCH_CUDA}`;
const COPY = `_ZN2at6nativeL16copy_kernel_cudaERNS_14TensorIteratorEb @ ${TORCH_CUDA}
  _ZN2at6nativeL9copy_implERNS_6TensorERKS1_b.isra.0 @ ${TORCH_CPU}
  _ZN2at6native5copy_ERNS_6TensorERKS1_b @ ${TORCH_CPU}`;
const SCALAR = `_ZN2at6native24_local_scalar_dense_cudaERKNS_6TensorE @ ${TORCH_CUDA}
  _ZN2at4_ops4item4callERKNS_6TensorE @ ${TORCH_CPU}`;

const MODULE = `_call_impl @ torch/nn/modules/module.py:1740
  _wrapped_call_impl @ torch/nn/modules/module.py:1732`;

/** A layer of the model, called at `line` of its forward. */
function layer(kernel: string, op: string, file: string, line: number): string {
  return `${LAUNCH}
    ${kernel}
    ${op} @ ${TORCH_CPU}
    forward @ torch/nn/modules/${file}
    ${MODULE}
    forward @ model.py:${line}
    ${MODULE}
    train_step @ train.py:71
    ${MAIN}`;
}

const convolution = (line: number) =>
  layer(CONVOLUTION, '_ZN2at4_ops6conv2d4callERKNS_6TensorES4_b', 'conv.py:554', line);
const activation = (line: number) =>
  layer(ELEMENTWISE, '_ZN2at4_ops4relu4callERKNS_6TensorE', 'activation.py:133', line);
const linear = (line: number) =>
  layer(GEMM, '_ZN2at4_ops6linear4callERKNS_6TensorES4_S4_', 'linear.py:125', line);

function backward(kernel: string): string {
  return `${LAUNCH}
    ${kernel}
    _ZN5torch8autograd6Engine17evaluate_functionERSt10shared_ptrINS0_9GraphTaskEE @ ${TORCH_CPU}
    _ZN5torch8autograd6Engine7executeERKSt6vectorINS0_4EdgeESaIS3_EE @ ${TORCH_CPU}
    _engine_run_backward @ torch/autograd/graph.py:825
    backward @ torch/_tensor.py:581
    train_step @ train.py:74
    ${MAIN}`;
}

const OPTIMIZER = `${LAUNCH}
  _ZN2at6native18multi_tensor_applyILi1EfEEvN3c108ArrayRefINS_6TensorEEE @ ${TORCH_CUDA}
  _ZN2at4_ops13_foreach_add_4callEN3c108ArrayRefINS_6TensorEEES5_ @ ${TORCH_CPU}
  _multi_tensor_sgd @ torch/optim/sgd.py:446
  step @ torch/optim/sgd.py:125
  train_step @ train.py:75
  ${MAIN}`;

/** The kernels of one step in the order they are launched, each with how many times in a row. */
const KERNELS: readonly (readonly [times: number, stack: string])[] = [
  [2, convolution(21)],
  [2, activation(22)],
  [2, convolution(24)],
  [2, activation(25)],
  [3, linear(29)],
  [3, backward(GEMM)],
  [4, backward(ELEMENTWISE)],
  [6, backward(CONVOLUTION)],
  [6, OPTIMIZER],
];

export function trainingStacks(texts: Texts) {
  return {
    copies: [62, 63, 64].map((line) =>
      texts.stack(`cudaMemcpyAsync @ ${CUDART}
        ${COPY}
        _ZN2at4_ops8_to_copy4callERKNS_6TensorEb @ ${TORCH_CPU}
        to_device @ train.py:${line}
        ${MAIN}`),
    ),
    copySync: texts.stack(`cudaStreamSynchronize @ ${CUDART}
      ${COPY}
      to_device @ train.py:64
      ${MAIN}`),
    item: texts.stack(`cudaStreamSynchronize @ ${CUDART}
      ${SCALAR}
      item @ train.py:77
      ${MAIN}`),
    itemCopy: texts.stack(`cudaMemcpyAsync @ ${CUDART}
      ${SCALAR}
      item @ train.py:77
      ${MAIN}`),
    next: texts.stack(`_try_get_data @ torch/utils/data/dataloader.py:1243
      __next__ @ torch/utils/data/dataloader.py:701
      ${MAIN}`),
    host: texts.stack(`forward @ model.py:29
      ${MAIN}`),
    kernels: KERNELS.flatMap(([times, stack]) =>
      Array.from({ length: times }, () => texts.stack(stack)),
    ),
  };
}

export type TrainingStacks = ReturnType<typeof trainingStacks>;
