import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { captureProfiles, profileSpecs } from '../../shared/capture-modes/profiles.ts';

const root = join(import.meta.dirname, '../../..');
const textOf = (path: string) => readFileSync(join(root, path), 'utf8');

/** An event source of the agent, as its row in agent/src/record/sources/ says. */
interface AgentSource {
  readonly name: string;
  readonly sees: string;
  readonly profile?: string;
  readonly help?: string;
}

/** The rows, in the order of EVENT_SOURCES. What is not found there is a new spelling: no test passes then. */
function agentSources(): AgentSource[] {
  const list = /#define EVENT_SOURCES\(source\)((?:.*\\\n)+.*)/.exec(
    textOf('agent/src/record/event_source.h'),
  )?.[1];
  const files = [...(list ?? '').matchAll(/source\(\w+, (\w+)\)/g)].map(([, file]) => file);
  return files.map((file) => {
    const text = textOf(`agent/src/record/sources/${file}.c`);
    const row = text.slice(text.indexOf(`const struct event_source ${file}_source = {`));
    const field = (name: string) =>
      new RegExp(`\\.${name} = ((?:"[^"\\n]*"\\s*)+)`)
        .exec(row)?.[1]
        ?.replace(/"\s*"|^"|"\s*$/g, '');
    const [name = '', sees = '', profile, help] = ['probe\\.name', 'sees', 'profile', 'help'].map(
      field,
    );
    return {
      name,
      sees,
      ...(profile !== undefined && { profile }),
      ...(help !== undefined && { help }),
    };
  });
}

const sources = agentSources();
const onRequest = sources.filter(({ profile }) => profile !== undefined);

/** What stands in backticks. */
const quoted = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, word]) => word ?? '');

test('the agent has words for each of its event sources', () => {
  expect(sources.length).toBeGreaterThan(8);
  for (const { sees, profile } of sources) {
    expect(sees).toMatch(/^[A-Z]/);
    expect(/\(on request\)$/.test(sees)).toBe(profile !== undefined);
  }
});

test('what can be asked for is what the agent records on request, at the same cost', () => {
  expect(profileSpecs.map(({ id, source }) => [id, source])).toEqual(
    onRequest.map(({ profile, name }) => [profile, name]),
  );
  profileSpecs.forEach(({ cost }, at) => {
    const [least, most] = 'perSwitch' in cost ? cost.perSwitch.split('–') : [];
    const said = 'perSwitch' in cost ? `${least} to ${most?.replace('µ', 'u')} a switch` : '';
    expect(onRequest[at]?.help).toContain('perSwitch' in cost ? said : `+${cost.runTimePercent} %`);
  });
});

test('docs/agent.md names the same', () => {
  const docs = textOf('docs/agent.md');
  const names = /^Names of `sources`: ([^.]+)\./m.exec(docs)?.[1] ?? '';
  expect(quoted(names)).toEqual(sources.map(({ name }) => name));
  const rows = [...docs.matchAll(/^\| `([a-z-]+)` \| [^|]+ \| ([^|]+) \|$/gm)];
  const costs = new Map(rows.map(([, profile, cost]) => [profile, cost?.trim() ?? '']));
  for (const { id, cost } of profileSpecs)
    expect(costs.get(id)).toMatch(
      'perSwitch' in cost ? `${cost.perSwitch} a switch` : `+${cost.runTimePercent} %`,
    );
});

test.each(['docs/agent.md', 'docs/cli.md'])('%s names what can be asked for', (path) => {
  const option = /^\| `--profile LIST` \| ([^;|:]+)[;:]/m.exec(textOf(path))?.[1] ?? '';
  expect(quoted(option)).toEqual(captureProfiles);
});
