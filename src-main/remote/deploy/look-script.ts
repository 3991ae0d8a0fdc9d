import { folderFunctions } from './folder-script.ts';

/**
 * $1: a nonce; $2, $3 and $4, $5: folder and SHA-256 of the agents for x64 and arm64. Says what the host
 * is, and of each place whether it can be written to and executed from, by trying. Leaves nothing.
 * Lines are a key and fields, separated by tabs.
 */
export const lookScript = `${folderFunctions}
nonce=$1
machine=$(uname -m)
case $machine in
  x86_64|amd64) agent=$2 sum=$3 ;;
  aarch64|arm64) agent=$4 sum=$5 ;;
  *) agent= sum= ;;
esac
say system "$(uname -s)" "$machine" "$(uname -r)" "$(uname -n)"
shell=$(getent passwd "$uid" 2>/dev/null | cut -d : -f 7)
if [ -z "$shell" ]; then
  shell=$(sed -n "s/^[^:]*:[^:]*:$uid:.*:\\([^:]*\\)$/\\1/p" /etc/passwd 2>/dev/null | head -n 1)
fi
say user "$uid" "$(id -un 2>/dev/null)" "\${shell:-$SHELL}"
boot=
if [ -r /proc/sys/kernel/random/boot_id ]; then read -r boot < /proc/sys/kernel/random/boot_id; fi
say boot "$boot"
if command -v gzip >/dev/null 2>&1; then say gzip; fi
if [ "$uid" != 0 ] && command -v sudo >/dev/null 2>&1; then
  said=$(sudo -n -k true 2>&1 </dev/null)
  say sudo "$?" "$(flat "$said")"
fi

# A group of the user's own, as most systems make one for each user: who may write by it is the user alone.
own_group=
if [ "$(id -gn 2>/dev/null)" = "$(id -un 2>/dev/null)" ]; then own_group=$(id -g); fi
# Whether others but root could replace what stands in the real folder $1, or that folder, or one above it.
# 65534 is who a container does not know.
is_shared() {
  at=$1
  while :; do
    set -- $(ls -ldn "\${at%/}/." 2>/dev/null)
    case $3 in 0|65534|"$uid") ;; *) return 0 ;; esac
    case $1 in
      ?????????[tT]*) ;;
      ????????w*|?????w????+*) return 0 ;;
      ?????w*) if [ "$4" != 0 ] && [ "$4" != "$own_group" ]; then return 0; fi ;;
    esac
    if [ "$at" = / ]; then return 1; fi
    at=\${at%/*}
    at=\${at:-/}
  done
}

look() {
  case $1 in /*) ;; *) return ;; esac
  case $1 in *"
"*|*"	"*) return ;; esac
  place=$1 traces=$2
  if [ -d "$place" ]; then place=$(cd -P -- "$place" && pwd -P) || return; inside=$place
  # Made when it is needed, and not before.
  elif [ "$place" = "$HOME/.cache" ] && [ -d "$HOME" ]; then inside=$(cd -P -- "$HOME" && pwd -P) || return; place=$inside/.cache
  else say place "$place" "$traces" absent; return
  fi
  base=$place/$name state=new
  if is_shared "$inside"; then say place "$place" "$traces" shared; return; fi
  if [ -e "$base" ] || [ -L "$base" ]; then
    problem=$(base_problem "$base")
    case $problem in
      '') state=ours inside=$base ;;
      unmarked-empty) ;;
      *) say place "$place" "$traces" "$problem"; return ;;
    esac
  fi
  free=$(df -Pk "$inside" 2>/dev/null | sed -n '$s/.*[[:space:]]\\([0-9][0-9]*\\)[[:space:]][[:space:]]*[0-9]*%.*/\\1/p')
  probe=$inside/.stalltrace-probe-$nonce
  said=$( (set -C; printf '#!/bin/sh\\nexit 7\\n' > "$probe") 2>&1) || {
    rm -f "$probe" 2>/dev/null
    say place "$place" "$traces" refused "$state" "$free" "$(flat "$said")"
    return
  }
  chmod 700 "$probe" 2>/dev/null
  "$probe" >/dev/null 2>&1
  if [ $? = 7 ]; then runs=runs; else runs=noexec; fi
  rm -f "$probe"
  version=
  file=$base/$agent/stalltrace-agent
  if [ "$state$runs" = oursruns ] && [ -n "$agent" ] && [ -f "$file" ] && [ ! -L "$file" ] && [ -x "$file" ] &&
    [ "$(hash_of "$file")" = "$sum" ]; then
    version=$("$file" version --json 2>&1 </dev/null | head -n 1)
  fi
  say place "$place" "$traces" usable "$state" "$runs" "$free" "$(stat -f -c %T "$inside" 2>/dev/null)" "$version"
}

look "$HOME/.cache" traces
look "\${XDG_RUNTIME_DIR:-}" programs
look /workspace traces
look /var/tmp traces
look /tmp traces
look /dev/shm traces
`;
