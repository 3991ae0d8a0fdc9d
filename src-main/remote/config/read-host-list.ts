import { type HostList, hostTarget, type KnownHost } from '../../shared/remote/host-target.ts';
import { cleanText } from '../../shared/text/text.ts';
import type { ConfigEnvironment } from './config-environment.ts';
import { evaluateConfig } from './evaluate-config.ts';
import { type ConfigLine, readConfig, type SshConfig } from './read-config.ts';

const MOST_HOSTS = 2000;

/**
 * The hosts that the SSH configuration names, in its order: words of `Host` without patterns. Nothing
 * is run: `Match exec` counts as not met. Never throws.
 */
export function readHostList(environment: ConfigEnvironment): HostList {
  const config = readConfig(environment);
  const problems = new Set(config.problems);
  const hosts: KnownHost[] = [];
  for (const name of namedHosts(config)) {
    const host =
      hosts.length < MOST_HOSTS ? knownHost(name, config, environment, problems) : undefined;
    if (host !== undefined) hosts.push(host);
  }
  return {
    hosts,
    problems: [...problems],
    ...(config.configFile === undefined ? {} : { configFile: config.configFile }),
  };
}

function knownHost(
  name: string,
  config: SshConfig,
  environment: ConfigEnvironment,
  problems: Set<string>,
): KnownHost | undefined {
  const target = hostTarget.safeParse({ name });
  if (!target.success) {
    problems.add(
      `The host “${cleanText(name, 60)}” of the SSH configuration is left out: that is not a name for a host.`,
    );
    return undefined;
  }
  const options = evaluateConfig(config, { name }, environment, () => false);
  for (const problem of options.problems) problems.add(problem);
  const user = cleanText(options.user ?? environment.userName, 64);
  const address = `${user}@${cleanText(options.hostName, 255)}:${options.port ?? 22}`;
  return { id: `config:${name}`, label: name, target: target.data, from: 'ssh-config', address };
}

function namedHosts(config: SshConfig): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (lines: readonly ConfigLine[]) => {
    for (const line of lines) {
      if (line.keyword === 'host') {
        for (const word of line.words ?? [])
          if (!/[*?!]/.test(word) && word !== '') names.add(word);
      }
      for (const included of line.included ?? []) visit(included);
    }
  };
  for (const lines of config.files) visit(lines);
  return names;
}
