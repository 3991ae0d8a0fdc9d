import { rmSync } from 'node:fs';
import type { Link } from '../../../src-main/remote/link/link.ts';
import { linkTo } from './open-session.ts';
import type { SshHost } from './ssh-host.ts';
import { createSshUser, type SshUser, type SshUserOptions } from './ssh-user.ts';

/** Users who are signed in to a server, for one test. */
export class SignedIn {
  readonly #server: SshHost;
  readonly #users: SshUser[] = [];
  readonly #links: Link[] = [];

  constructor(server: SshHost) {
    this.#server = server;
  }

  async user(options: SshUserOptions = {}): Promise<{ user: SshUser; link: Link }> {
    const user = await createSshUser(options);
    this.#users.push(user);
    return { user, link: await this.link(user) };
  }

  async link(user: SshUser): Promise<Link> {
    const link = await linkTo(this.#server, user);
    this.#links.push(link);
    return link;
  }

  /** Also removes what was put outside the homes. */
  async leave(): Promise<void> {
    for (const link of this.#links.splice(0)) link.close();
    for (const user of this.#users.splice(0)) {
      await user.remove();
      for (const place of ['/tmp', '/var/tmp', '/dev/shm', '/workspace']) {
        rmSync(`${place}/stalltrace-remote-${user.uid}`, { recursive: true, force: true });
      }
    }
  }
}
