import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A program in `folder` that spends its time in a function `symbol` of a library of its own. */
export function programWithSymbol(folder: string, name: string, symbol: string): string {
  const [source, library, main] = ['.s', '.so', '.c'].map((end) =>
    join(folder, `lib${name}${end}`),
  );
  const program = join(folder, name);
  // Long names make no argument of a command; the assembler reads them from a file.
  writeFileSync(
    String(source),
    `.globl spend\n.globl "${symbol}"\n.type "${symbol}",@function\n"${symbol}":\nspend:
     mov $400000000, %eax\n1: dec %eax\njnz 1b\nret\n.size "${symbol}", .-"${symbol}"
     .section .note.GNU-stack,"",@progbits\n`,
  );
  writeFileSync(String(main), 'void spend(void); int main(void) { for (;;) spend(); }\n');
  execFileSync('gcc', ['-shared', '-nostdlib', '-o', String(library), String(source)]);
  const link = [String(library), `-Wl,-rpath,${folder}`];
  execFileSync('gcc', ['-o', program, String(main), ...link]);
  return program;
}
