import { generateKeyPairSync } from 'node:crypto';
import ssh2, { type ServerChannel } from 'ssh2';
import { hostileBehaviours } from './hostile-behaviours.ts';

/**
 * A host that lets everybody in and does with each command what the user's name asks for; a process of its
 * own, so that what it holds is not counted with what its victim holds. Says its port.
 */

/** Of `sh -s`: what comes before the marks is a banner's. */
const MARKS = /printf '\\n%s%s<\\n' '([0-9a-f]{16})' '([0-9a-f]{16})';/;

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

const server = new ssh2.Server({ hostKeys: [privateKey], ident: 'OpenSSH_9.9' }, (client) => {
  let behaviour = '';
  // Whoever it is gone from has had enough.
  client.on('error', () => undefined);
  client.on('authentication', (attempt) => {
    behaviour = attempt.username;
    attempt.accept();
  });
  client.on('session', (acceptSession) => {
    acceptSession().on('exec', (acceptExec) => {
      const behave = hostileBehaviours[behaviour];
      if (behave === undefined) throw new Error(`what is ${behaviour}?`);
      if (behave.when === 'unanswered') return;
      const channel = acceptExec();
      channel.on('error', () => undefined);
      const host = { channel, hangUp: () => client.end() };
      if (behave.when === 'at-once') behave.act(host, '');
      else onMarks(channel, (begin) => behave.act(host, begin));
    });
  });
});

function onMarks(channel: ServerChannel, act: (begin: string) => void): void {
  let script = '';
  channel.on('data', (chunk: Buffer) => {
    if (script === 'heard') return;
    script += chunk.toString('latin1');
    const [, head, tail] = MARKS.exec(script) ?? [];
    if (head === undefined) return;
    script = 'heard';
    act(`\n${head}${tail}<\n`);
  });
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' ? address?.port : undefined });
});
process.on('disconnect', () => process.exit());
