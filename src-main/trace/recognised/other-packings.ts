import type { Recognised } from './recognised.ts';

function packedWith(program: string, command: string, begin: RegExp): Recognised {
  return {
    is: `compressed with ${program}`,
    instead: `unpack it with \`${command}\`, then open what comes out`,
    isNoTrace: true,
    isIn: ({ bytes }) => begin.test(bytes.toString('hex', 0, 6)),
  };
}

export const otherPackings: readonly Recognised[] = [
  packedWith('xz', 'xz -d', /^fd377a585a00/),
  packedWith('bzip2', 'bzip2 -d', /^425a68[3-9]/),
  packedWith('lz4', 'lz4 -d', /^04224d18/),
  packedWith('7-Zip', '7z x', /^377abcaf271c/),
  packedWith('compress', 'uncompress', /^1f9d/),
];
