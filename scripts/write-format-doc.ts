import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { agentSchemaHeader } from '../src-main/trace/formats/stalltrace/agent-schema.ts';
import { updateFormatDoc } from '../src-main/trace/formats/stalltrace/format-doc.ts';

/** Brings docs/format.md and agent/generated/schema.h up to date. `node scripts/write-format-doc.ts` */

const doc = resolve(import.meta.dirname, '../docs/format.md');
writeFileSync(doc, updateFormatDoc(readFileSync(doc, 'utf8')));
writeFileSync(resolve(import.meta.dirname, '../agent/generated/schema.h'), agentSchemaHeader());
