import { readFileSync } from 'node:fs';

/** What the headers of a 64-bit little-endian ELF file say (gabi: ELF header, program header, dynamic). */

export interface ElfHeaders {
  readonly type: number;
  readonly segments: readonly { readonly type: number; readonly flags: number }[];
  /** Values of the dynamic section by tag. */
  readonly dynamic: ReadonlyMap<bigint, bigint>;
  /** Names of .symtab; none in a stripped file. */
  readonly symbols: readonly string[];
  /** Versions that it needs of other libraries: `libc.so.6 GLIBC_2.17`. */
  readonly versions: readonly string[];
}

export const ET_DYN = 3;
const PT_DYNAMIC = 2;
export const PT_INTERP = 3;
export const PT_GNU_STACK = 0x6474e551;
export const PT_GNU_RELRO = 0x6474e552;
export const PF_X = 1;
export const PF_W = 2;
export const DT_NEEDED = 1n;
export const DT_FLAGS = 30n;
export const DF_BIND_NOW = 8n;
export const DT_FLAGS_1 = 0x6ffffffbn;
export const DF_1_PIE = 0x08000000n;
export const DT_INIT = 12n;
export const DT_INIT_ARRAY = 25n;
export const DT_PREINIT_ARRAY = 32n;
const DT_STRTAB = 5n;
const DT_VERNEED = 0x6ffffffen;
const DT_VERNEEDNUM = 0x6fffffffn;
export const DF_1_NODELETE = 8n;
const SHT_SYMTAB = 2;
const SYMBOL_BYTES = 24;

function readSymbols(file: Buffer): string[] {
  const sectionsAt = Number(file.readBigUInt64LE(40));
  const count = file.readUInt16LE(60);
  const section = (index: number) => {
    const at = sectionsAt + 64 * index;
    return {
      type: file.readUInt32LE(at + 4),
      offset: Number(file.readBigUInt64LE(at + 24)),
      size: Number(file.readBigUInt64LE(at + 32)),
      link: file.readUInt32LE(at + 40),
    };
  };
  const names: string[] = [];
  for (let index = 0; index < count; index++) {
    const table = section(index);
    if (table.type !== SHT_SYMTAB) continue;
    const texts = section(table.link).offset;
    for (let at = table.offset; at < table.offset + table.size; at += SYMBOL_BYTES) {
      const from = texts + file.readUInt32LE(at);
      names.push(file.toString('latin1', from, file.indexOf(0, from)));
    }
  }
  return names;
}

/** Of a library whose first segment begins with the file: addresses there are offsets. */
function readVersions(file: Buffer, dynamic: ReadonlyMap<bigint, bigint>): string[] {
  const texts = Number(dynamic.get(DT_STRTAB) ?? 0n);
  const text = (at: number) => file.toString('latin1', texts + at, file.indexOf(0, texts + at));
  const versions: string[] = [];
  let at = Number(dynamic.get(DT_VERNEED) ?? 0n);
  for (let left = Number(dynamic.get(DT_VERNEEDNUM) ?? 0n); left > 0; left--) {
    let version = at + file.readUInt32LE(at + 8);
    for (let count = file.readUInt16LE(at + 2); count > 0; count--) {
      versions.push(`${text(file.readUInt32LE(at + 4))} ${text(file.readUInt32LE(version + 8))}`);
      version += file.readUInt32LE(version + 12);
    }
    at += file.readUInt32LE(at + 12);
  }
  return versions;
}

export function readElfHeaders(path: string): ElfHeaders {
  const file = readFileSync(path);
  const segmentsAt = Number(file.readBigUInt64LE(32));
  const dynamic = new Map<bigint, bigint>();
  const segments = Array.from({ length: file.readUInt16LE(56) }, (_, index) => {
    const at = segmentsAt + 56 * index;
    const type = file.readUInt32LE(at);
    const offset = Number(file.readBigUInt64LE(at + 8));
    const size = Number(file.readBigUInt64LE(at + 32));
    if (type === PT_DYNAMIC)
      for (let entry = offset; entry < offset + size; entry += 16)
        dynamic.set(file.readBigUInt64LE(entry), file.readBigUInt64LE(entry + 8));
    return { type, flags: file.readUInt32LE(at + 4) };
  });
  const versions = readVersions(file, dynamic);
  return { type: file.readUInt16LE(16), segments, dynamic, symbols: readSymbols(file), versions };
}
