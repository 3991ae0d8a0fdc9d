import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { updateFormatDoc } from '../src-main/trace/stalltrace/format-doc.ts';

/** Brings the tables in docs/format.md up to date. `node scripts/write-format-doc.ts` */

const path = resolve(import.meta.dirname, '../docs/format.md');
writeFileSync(path, updateFormatDoc(readFileSync(path, 'utf8')));
