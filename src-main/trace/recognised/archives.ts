import type { Recognised } from './recognised.ts';

/** One that stands alone is read as such: this one came out of another compression. */
export const zip: Recognised = {
  is: 'a zip or .stalltrace archive that was compressed once more',
  instead: 'unpack it once, then open what comes out',
  isNoTrace: true,
  isIn: ({ bytes }) => /^504b(?:0304|0506)/.test(bytes.toString('hex', 0, 4)),
};

/** POSIX.1-2017, pax, "ustar Interchange Format". */
export const tar: Recognised = {
  is: 'a tar archive',
  instead: 'unpack it with `tar -xf`, then open the trace in it',
  isNoTrace: true,
  isIn: ({ bytes }) => bytes.toString('latin1', 257, 262) === 'ustar',
};

export const packedTwice: Recognised = {
  is: 'compressed twice',
  instead: 'unpack it once, then open what comes out',
  isNoTrace: true,
  isIn: ({ bytes }) => /^(?:1f8b08|28b52ffd)/.test(bytes.toString('hex', 0, 4)),
};
