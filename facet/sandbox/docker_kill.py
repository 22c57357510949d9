"""Ends processes inside a container from a helper container that shares its process namespace.

The helper starts from a base image of ours (or the container's *image* where there is none), so
nothing the actor replaced in the container takes part, and it has its own process limit, so a fork
bomb cannot keep it out. It freezes its victims first (SIGSTOP until no new one appears: what is
stopped cannot fork), then kills them.
"""

import threading
from typing import Any

from facet.errors import EngineError, SandboxGone
from facet.sandbox.docker_errors import boundary

HELPERS = ("facet-base:latest", "debian:bookworm-slim")
"""Images whose shell can be trusted, the first that is there; else the container's own."""

SCRIPT = r"""
mode=$1; marker=$2; grace=$3; self=$$; tab='	'
stat_of() { # sets state ppid sid start of process $1
  text=
  while IFS= read -r line || [ -n "$line" ]; do text="$text $line"; done 2>/dev/null \
    < /proc/$1/stat || return 1
  [ -n "$text" ] || return 1
  text=${text##*) }
  set -f; set -- $text; set +f
  state=$1; ppid=$2; sid=$4; start=${20}
  [ -n "$start" ]
}
marked() { grep -qsaF "FACET_EXEC=$marker" /proc/$1/environ; }
scan() { # all: "pid ppid sid start" lines of live processes that are neither pid 1 nor ours
  all=
  for dir in /proc/[0-9]*; do
    pid=${dir#/proc/}
    [ "$pid" -gt 1 ] && [ "$pid" != "$self" ] || continue
    stat_of "$pid" || continue
    [ "$ppid" != "$self" ] && [ "$state" != Z ] && [ "$state" != X ] || continue
    all="$all$pid $ppid $sid $start
"
  done
}
first_child() { # the container's own command: the oldest child of pid 1
  main=0; oldest=
  while read -r pid ppid sid start; do
    [ -n "$pid" ] && [ "$ppid" = 1 ] || continue
    if [ -z "$oldest" ] || [ "$start" -lt "$oldest" ] ||
       { [ "$start" = "$oldest" ] && [ "$pid" -lt "$main" ]; }; then
      oldest=$start; main=$pid
    fi
  done <<END
$all
END
}
choose() { # victims: " pid pid "
  victims=' '
  if [ "$mode" = all ]; then
    while read -r pid rest; do
      [ -n "$pid" ] && [ "$pid" != "$main" ] && victims="$victims$pid "
    done <<END
$all
END
    return
  fi
  while read -r pid ppid sid start; do
    [ -n "$pid" ] && [ "$pid" != "$main" ] || continue
    if marked "$pid"; then
      victims="$victims$pid "; sessions="$sessions$sid "
      if [ -z "$began" ] || [ "$start" -lt "$began" ]; then began=$start; fi
    fi
  done <<END
$all
END
  [ -n "$began" ] || return
  more=1
  while [ "$more" = 1 ]; do # children, sessions, and orphans that init adopted since
    more=0
    while read -r pid ppid sid start; do
      [ -n "$pid" ] && [ "$pid" != "$main" ] || continue
      case $victims in *" $pid "*) continue ;; esac
      take=0
      case $victims in *" $ppid "*) take=1 ;; esac
      case $sessions in *" $sid "*) take=1 ;; esac
      [ "$ppid" = 1 ] && [ "$start" -ge "$began" ] && take=1
      if [ "$take" = 1 ]; then victims="$victims$pid "; more=1; fi
    done <<END
$all
END
  done
}
sessions=' '; began=
scan; first_child
[ "$main" -gt 1 ] || exit 3
if [ "$grace" -gt 0 ]; then
  choose
  for pid in $victims; do kill -TERM "$pid" 2>/dev/null; done
  while [ "$grace" -gt 0 ]; do
    scan; choose
    [ "$victims" = ' ' ] && exit 0
    sleep 0.1; grace=$((grace - 1))
  done
fi
round=0; stopped=' '
while [ "$round" -lt 200 ]; do
  round=$((round + 1)); scan; choose; fresh=0
  for pid in $victims; do
    case $stopped in *" $pid "*) ;; *) kill -STOP "$pid" 2>/dev/null && fresh=1
      stopped="$stopped$pid " ;; esac
  done
  [ "$fresh" = 0 ] && break
done
round=0
while [ "$round" -lt 200 ]; do
  round=$((round + 1)); scan; choose
  [ "$victims" = ' ' ] && exit 0
  for pid in $victims; do kill -KILL "$pid" 2>/dev/null; done
done
exit 4
"""


def run_killer(
    api: Any,
    container: str,
    image: str,
    *,
    labels: dict[str, str],
    marker: str = "",
    grace_s: float = 0.0,
) -> bool:
    """Kill the processes of one exec (`marker`), or with no marker all but the first two.

    Returns whether the helper says that none is left. The caller verifies it with the engine.
    """
    for helper in (*HELPERS, image):
        try:
            return _run(api, container, helper, labels, marker, grace_s)
        except SandboxGone:
            raise
        except EngineError:
            if helper == image:
                raise
    return False


def _run(
    api: Any, container: str, image: str, labels: dict[str, str], marker: str, grace_s: float
) -> bool:
    with boundary("ending processes", container=container):
        config = api.create_host_config(
            pid_mode=f"container:{container}",
            network_mode="none",
            cap_drop=["ALL"],
            cap_add=["KILL", "SYS_PTRACE", "DAC_READ_SEARCH"],
            security_opt=["no-new-privileges"],
            mem_limit=128 << 20,
            read_only=True,
            pids_limit=64,
        )
        helper = api.create_container(
            image,
            entrypoint=["/bin/sh", "-c", SCRIPT, "sh"],
            command=["exec" if marker else "all", marker or "-", str(int(grace_s * 10))],
            user="0",
            labels={**labels, "facet.kind": "helper"},
            host_config=config,
        )["Id"]
        guard = threading.Timer(grace_s + 60.0, api.kill, (helper,))
        guard.daemon = True
        try:
            api.start(helper)
            guard.start()
            answer = api.wait(helper, timeout=grace_s + 120.0)
            return int(answer.get("StatusCode", 1)) == 0
        finally:
            guard.cancel()
            api.remove_container(helper, force=True, v=True)
