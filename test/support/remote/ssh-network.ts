import { execFileSync } from 'node:child_process';

/**
 * Two hosts in network namespaces: `bastion` is reached from here, `inner` from `bastion` alone. A
 * link that is cut drops everything without a word, as a cable does.
 */
export interface SshNetwork {
  readonly bastion: NetworkHost;
  readonly inner: NetworkHost;
  /** Between here and `bastion`. */
  cut(): void;
  mend(): void;
  remove(): void;
}

interface NetworkHost {
  readonly networkNamespace: string;
  readonly address: string;
}

let made = 0;

export function createSshNetwork(): SshNetwork {
  // Interface names have 15 characters at most.
  const tag = `${process.pid.toString(36)}${made++}`;
  const subnet = `10.${(process.pid % 200) + 40}.${made % 250}`;
  const bastion = { networkNamespace: `stb${tag}`, address: `${subnet}.2` };
  const inner = { networkNamespace: `sti${tag}`, address: `${subnet}.66` };
  const [near, far, upper, lower] = ['a', 'b', 'c', 'd'].map((end) => `st${tag}${end}`) as [
    string,
    string,
    string,
    string,
  ];
  const inBastion = ['netns', 'exec', bastion.networkNamespace, 'ip'];
  const inInner = ['netns', 'exec', inner.networkNamespace, 'ip'];
  ip('netns', 'add', bastion.networkNamespace);
  ip('netns', 'add', inner.networkNamespace);
  ip('link', 'add', near, 'type', 'veth', 'peer', 'name', far);
  ip('link', 'set', far, 'netns', bastion.networkNamespace);
  ip('addr', 'add', `${subnet}.1/26`, 'dev', near);
  ip('link', 'set', near, 'up');
  ip('link', 'add', upper, 'type', 'veth', 'peer', 'name', lower);
  ip('link', 'set', upper, 'netns', bastion.networkNamespace);
  ip('link', 'set', lower, 'netns', inner.networkNamespace);
  for (const words of [
    [...inBastion, 'addr', 'add', `${bastion.address}/26`, 'dev', far],
    [...inBastion, 'link', 'set', far, 'up'],
    [...inBastion, 'link', 'set', 'lo', 'up'],
    [...inBastion, 'addr', 'add', `${subnet}.65/26`, 'dev', upper],
    [...inBastion, 'link', 'set', upper, 'up'],
    [...inInner, 'addr', 'add', `${inner.address}/26`, 'dev', lower],
    [...inInner, 'link', 'set', lower, 'up'],
    [...inInner, 'link', 'set', 'lo', 'up'],
  ])
    ip(...words);
  return {
    bastion,
    inner,
    cut: () => ip('link', 'set', near, 'down'),
    mend: () => ip('link', 'set', near, 'up'),
    remove() {
      ip('link', 'del', near);
      for (const { networkNamespace } of [bastion, inner]) ip('netns', 'del', networkNamespace);
    },
  };
}

function ip(...words: readonly string[]): void {
  execFileSync('/usr/sbin/ip', words, { stdio: 'pipe' });
}
