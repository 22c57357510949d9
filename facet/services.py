"""Starts a manifest's services in a running container and waits until each one answers.

One command starts them all and waits; it is made from the manifest, so nothing an actor changed in
the container decides what runs. Used before the actor and again for grading.
"""

import base64
import binascii
import shlex

from facet.dockerfile import health_command
from facet.errors import BuildError, EngineError
from facet.sandbox.base import Sandbox
from facet.types.manifest import Manifest, RealService, Service

HEALTHY_WITHIN_S = 30
SETTLE_S = 5  # how long a command that has ended may take to be ready (it made itself a daemon)


def start_services(
    sandbox: Sandbox, manifest: Manifest, *, within_s: int = HEALTHY_WITHIN_S
) -> tuple[RealService, ...]:
    """Start every declared service; BuildError names the first that does not become healthy."""
    found = services_up(sandbox, manifest, within_s=within_s)
    for service in found:
        if not service.running or service.port_open is False:
            raise BuildError(f"service {service.name} does not start: {service.detail}")
    return found


def services_up(
    sandbox: Sandbox, manifest: Manifest, *, within_s: int = HEALTHY_WITHIN_S
) -> tuple[RealService, ...]:
    """Start every declared service and say how each came up. EngineError if nobody can tell."""
    services = manifest.services
    if not services:
        return ()
    result = sandbox.exec(
        ["/bin/bash", "-c", start_script(services, within_s)],
        timeout_s=within_s + 120.0,
        max_output=20_000 + 2_000 * len(services),
    )
    rows = dict(
        (parts[0], parts[1:])
        for line in result.stdout.text.splitlines()
        if len(parts := line.split(" ")) == 5
    )
    if result.timed_out or result.killed:
        raise EngineError(f"starting services did not end: {result.killed or 'deadline'}")
    return tuple(
        _state(service, rows.get(str(number)), result.stderr.text)
        for number, service in enumerate(services)
    )


def _state(service: Service, row: list[str] | None, trouble: str) -> RealService:
    if row is None:
        detail = " ".join(trouble.split())[:200] or "bash said nothing about it"
        return RealService(name=service.name, running=False, port_open=None, detail=detail)
    ready, alive, port, log = row
    said = _decoded(log)
    if ready == "1":
        detail = "healthy"
    elif alive == "1":
        detail = f"not healthy; its log ends: {said}"
    else:
        detail = f"ended at once; its log ends: {said}"
    opened = None if service.port is None else port == "1"
    return RealService(name=service.name, running=ready == "1", port_open=opened, detail=detail)


def _decoded(text: str) -> str:
    try:
        plain = base64.b64decode(text, validate=True).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return "?"
    return " ".join(plain.split())[-200:] or "empty"


def start_script(services: tuple[Service, ...], within_s: int) -> str:
    """Bash that starts the services, waits, and prints `number ready alive port log` lines."""
    lines = ["mkdir -p /var/log/facet", "pids=(); ready=(); ended=()"]
    for number, service in enumerate(services):
        log = shlex.quote(f"/var/log/facet/{service.name}.log")
        start = f"/bin/bash -c {shlex.quote(service.command)}"
        if service.user != "root":
            start = f"runuser -u {shlex.quote(service.user)} -- {start}"
        lines.append(f"setsid {start} </dev/null >>{log} 2>&1 & pids[{number}]=$!")
    lines.append("port() { case $1 in")
    for number, service in enumerate(services):
        if service.port is not None:
            lines.append(f"{number}) (: </dev/tcp/127.0.0.1/{int(service.port)}) 2>/dev/null;;")
    lines += ["*) true;; esac; }", "healthy() { case $1 in"]
    for number, service in enumerate(services):
        command = health_command(service) if service.health else ""
        if command:
            quoted = shlex.quote(command)
            lines.append(f"{number}) timeout 20 /bin/bash -c {quoted} </dev/null >/dev/null 2>&1;;")
        elif service.port is None:
            lines.append(f'{number}) sleep 0.3; kill -0 "${{pids[{number}]}}" 2>/dev/null;;')
    lines += [
        "*) true;; esac; }",
        f"count={len(services)}; until_=$((SECONDS + {int(within_s)}))",
        "while :; do",
        "  waiting=0",
        "  for ((i = 0; i < count; i++)); do",
        '    [ "${ready[i]}" = 1 ] && continue',
        "    if port $i && healthy $i; then ready[i]=1; continue; fi",
        '    if kill -0 "${pids[i]}" 2>/dev/null; then waiting=1; continue; fi',
        f'    [ -n "${{ended[i]}}" ] || ended[i]=$((SECONDS + {SETTLE_S}))',
        '    [ "$SECONDS" -lt "${ended[i]}" ] && waiting=1',
        "  done",
        '  [ "$waiting" = 0 ] || [ "$SECONDS" -ge "$until_" ] && break',
        "  sleep 0.05",
        "done",
        "names=(" + " ".join(shlex.quote(s.name) for s in services) + ")",
        "for ((i = 0; i < count; i++)); do",
        '  alive=0; kill -0 "${pids[i]}" 2>/dev/null && alive=1',
        "  open=0; port $i && open=1",
        '  tail=$(tail -c 300 "/var/log/facet/${names[i]}.log" 2>/dev/null | base64 -w0)',
        '  echo "$i ${ready[i]:-0} $alive $open ${tail:-Cg==}"',
        "done",
        "exit 0",
    ]
    return "\n".join(lines) + "\n"
