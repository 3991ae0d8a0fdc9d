import { describe, expect, test } from 'vitest';
import { parseAddresses, parseFrames, StackTable } from './stacks.ts';

const symbols = (json: string) => parseFrames(json).map(({ symbol }) => symbol);

describe('frames', () => {
  test('come leaf first: native calls below the Python that made them', () => {
    expect(symbols('[{"pfn":"step"},{"pfn":"main"},{"s":"cudaMalloc"},{"s":"alloc"}]')).toEqual([
      'cudaMalloc',
      'alloc',
      'step',
      'main',
    ]);
  });

  test('stay where they are when the interpreter’s own frames are there', () => {
    const json =
      '[{"pfn":"step"},{"s":"cudaMalloc"},{"s":"_PyEval_EvalFrameDefault","f":"libpython3.10.so.1.0"}]';
    expect(symbols(json)).toEqual(['step', 'cudaMalloc', '_PyEval_EvalFrameDefault']);
  });

  test('have the address where there is no symbol, with its library', () => {
    expect(parseFrames('[{"i":"0x7f01","f":"libcudart.so.12"}]')).toEqual([
      { symbol: '0x7f01', file: 'libcudart.so.12', language: 'native' },
    ]);
  });

  test('have file and line of Python', () => {
    expect(parseFrames('[{"pf":"/a/train.py","pfn":"step","pl":31}]')).toEqual([
      { symbol: 'step', file: '/a/train.py', line: 31, language: 'python' },
    ]);
  });

  test('lose control characters and impossible lines', () => {
    expect(parseFrames('[{"s":"a\\u0007b","l":-3}]')).toEqual([
      { symbol: 'a␇b', language: 'native' },
    ]);
  });

  test('may be addresses only', () => {
    expect(parseAddresses('["0x1", 2, ""]')).toEqual([{ symbol: '0x1', language: 'native' }]);
  });
});

describe('the stack table', () => {
  test('tells hashes apart that are equal as 64-bit floats', () => {
    const table = new StackTable();
    table.add(-9022875182732649807n, parseAddresses('["0x1"]'));
    table.add(-9022875182732649808n, parseAddresses('["0x2"]'));
    expect(table.indexOf(-9022875182732649807n, '')).toBe(0);
    expect(table.indexOf(-9022875182732649808n, '')).toBe(1);
    expect(table.indexOf(0n, '')).toBe(-1);
    expect(table.indexOf(5n, 'not JSON')).toBe(-1);
  });
});
