import type { ServerChannel } from 'ssh2';

interface HostileHost {
  readonly channel: ServerChannel;
  hangUp(): void;
}

interface Behaviour {
  /** Of a command: never; when it is asked for; when the script's begin mark is known, which `act` gets. */
  readonly when: 'unanswered' | 'at-once' | 'marked';
  act(host: HostileHost, begin: string): void;
}

const KIB64 = 64 * 1024;

/** As much as the other side takes, until it is gone. */
function pour(output: NodeJS.WritableStream, piece: Buffer | string): void {
  let open = true;
  output.once('close', () => {
    open = false;
  });
  const go = () => {
    for (let at = 0; open && at < 64; at++)
      if (!output.write(piece)) {
        output.once('drain', go);
        return;
      }
    if (open) setImmediate(go);
  };
  go();
}

const atOnce = (act: (host: HostileHost) => void): Behaviour => ({ when: 'at-once', act });

/** `text` where the answer of a program or a script is expected, then nothing, for ever. */
const says = (text: string | Buffer, then?: (host: HostileHost) => void): Behaviour => ({
  when: 'marked',
  act(host, begin) {
    host.channel.write(Buffer.concat([Buffer.from(begin), Buffer.from(text)]));
    then?.(host);
  },
});

const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const ready = (bytes: number | string) =>
  `{"v":1,"event":"ready","bytes":${bytes},"inode":"1","modified_unix_ns":"1"}\n`;
const alive =
  '{"v":1,"event":"alive","state":"running","process_alive":true,"heartbeat_age_ns":1}\n';
const x64k = Buffer.alloc(KIB64, 'x');

/** What a host may do to whoever asks it anything, by name. */
export const hostileBehaviours: Readonly<Record<string, Behaviour>> = {
  unanswered: { when: 'unanswered', act: () => undefined },
  silent: atOnce(() => undefined),
  hangs_up: atOnce(({ hangUp }) => hangUp()),
  ends_without_closing: atOnce(({ channel }) => channel.end()),
  exit_without_end: atOnce(({ channel }) => void channel.exit(0)),
  banner_flood: atOnce(({ channel }) => pour(channel, 'Welcome!\r\n'.repeat(2000))),
  endless_line: atOnce(({ channel }) => pour(channel, x64k)),
  single_bytes: atOnce(({ channel }) => pour(channel, 'x')),
  stderr_flood: atOnce(({ channel }) => pour(channel.stderr, x64k)),
  stderr_single_bytes: atOnce(({ channel }) => pour(channel.stderr, 'x')),
  binary: atOnce(({ channel }) =>
    pour(channel, Buffer.from(Array.from({ length: 4096 }, (_, byte) => byte & 255))),
  ),
  begins_and_is_silent: says(''),
  begins_and_ends_without_closing: says('', ({ channel }) => channel.end()),
  begins_and_hangs_up: says('', ({ hangUp }) => hangUp()),
  answer_of_an_endless_line: says('{"v":1,', ({ channel }) => pour(channel, x64k)),
  answer_of_single_bytes: says('{"v":1,', ({ channel }) => pour(channel, 'x')),
  answer_of_empty_lines: says('{"v":1}\n', ({ channel }) => pour(channel, '\n'.repeat(KIB64))),
  answer_of_live_lines: says(alive, ({ channel }) => pour(channel, alive.repeat(700))),
  answer_and_no_close: says('{"v":1,"runs":[]}\n', ({ channel }) => channel.end()),
  answer_and_exit_without_close: says('{"v":1,"runs":[]}\n', ({ channel }) => {
    channel.exit(0);
  }),
  answer_that_is_deep: says(
    `{"v":1,"ended":true,"message":"","runs":[{"run_id":"0123456789abcdef","run_directory":"/r","state":"finished","process_alive":false,"run":null,"finished":${deep(500_000)}}]}\n`,
    ({ channel }) => {
      channel.exit(0);
      channel.end();
      channel.close();
    },
  ),
  answer_of_odd_numbers: says(
    '{"v":1,"event":"progress","elapsed_ns":1e999,"events":-1,"bytes":NaN,"bytes":9e99}\n',
  ),
  answer_of_the_same_keys: says(`{"v":1,${'"event":"alive",'.repeat(10_000)}"event":"alive"}\n`),
  answer_of_broken_text: says(Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x1b, 0x5b, 0x32, 0x4a, 0x0a])),
  answer_of_lies: says(
    'boot 00000000-0000-0000-0000-000000000000\nbtime 8999999999999999\nsize -1\n',
    ({ channel }) => {
      channel.exit(0);
      channel.end();
      channel.close();
    },
  ),
  trace_without_an_end: says(ready(2 ** 52)),
  trace_of_no_number: says(ready('NaN')),
  trace_that_floods: says(ready(1_000_000), ({ channel }) => pour(channel, x64k)),
  trace_that_floods_bytes: says(ready(1_000_000), ({ channel }) => pour(channel, 'x')),
  trace_that_is_silent: says(ready(1_000_000)),
};
