import { z } from 'zod';

/** In a Python string: no control character, and each quote and backslash behind a backslash. */
const PATH = String.raw`/(?:[^"\\\p{C}\p{Zl}\p{Zp}]|\\["\\]|\\x[0-9a-f]{2})+`;
const LINE = new RegExp(
  String.raw`^import ctypes; stalltrace = ctypes\.CDLL\("${PATH}"\)\.stalltrace_begin; stalltrace\.restype = ctypes\.c_char_p; print\(stalltrace\(\)\.decode\(\)\)$`,
  'u',
);

/**
 * The line of Python that a user pastes into a process, to have it recorded from inside: what a host says is one is
 * shown only where it is that line, and nothing else.
 */
export const pastedLine = z.string().max(768).regex(LINE);
