import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { kernelBaseName } from './kernel-name.ts';

describe('the name of a kernel', () => {
  test.each([
    [
      'void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)',
      'vectorized_elementwise_kernel',
    ],
    [
      'void (anonymous namespace)::softmax_warp_forward<float, 10>(float*, int)',
      'softmax_warp_forward',
    ],
    [
      'void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, unsigned int, 3>(float*)',
      'CatArrayBatchedCopy',
    ],
    [
      'void at::native::unrolled<at::native::f(at::TensorIterator&)::{lambda(float)#1}, decltype ((a->b)())>(int)',
      'unrolled',
    ],
    ['std::enable_if<(1), void>::type cub::DeviceReduceKernel<int>(int)', 'DeviceReduceKernel'],
    ['add(float*, float*, int)', 'add'],
    ['ampere_sgemm_128x64_tn', 'ampere_sgemm_128x64_tn'],
    ['triton_poi_fused_add_0', 'triton_poi_fused_add_0'],
    ['_ZN2at6nativeE', '_ZN2at6nativeE'],
    ['(unknown kernel)', '(unknown kernel)'],
    ['two words', 'two words'],
    ['broken<int', 'broken<int'],
    ['broken>', 'broken>'],
    ['<} C:\\Users\\me\\x.py', '<} C:\\Users\\me\\x.py'],
    ['f<1> /home/me/x', 'f<1> /home/me/x'],
    ['', ''],
  ])('%s', (name, base) => {
    expect(kernelBaseName(name)).toBe(base);
  });

  test('is never empty, and part of the whole', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, unit: fc.constantFrom(...'ab:<>()[]{}- ,') }),
        (name) => {
          const base = kernelBaseName(name);
          expect(base).not.toBe('');
          expect(base.length).toBeLessThanOrEqual(name.length);
        },
      ),
    );
  });
});
