import { expect, test } from 'vitest';
import { syscallName } from './syscall-names.ts';

test('a number has a name where the machine is known', () => {
  const on = (cpuModel?: string) => ({ gpus: [], ...(cpuModel === undefined ? {} : { cpuModel }) });
  expect(syscallName(202, on('Intel(R) Xeon(R) Processor'))).toBe('futex');
  expect(syscallName(98, on('ARM Neoverse-V2'))).toBe('futex');
  expect(syscallName(202, on('ARM Neoverse-V2'))).toBe('accept');
  expect(syscallName(202, on())).toBeUndefined();
  expect(syscallName(9999, on('AMD EPYC 9554'))).toBeUndefined();
});
