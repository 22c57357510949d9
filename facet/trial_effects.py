"""What an actor changed in its container, less what the engine and we put there. Pure."""

from facet.types.trial import Actor, StateChange

EFFECT_OF: tuple[Actor, ...] = ("oracle", "alternative", "agent")
"""Actors whose changes to the filesystem are recorded."""


def effects(changes: tuple[StateChange, ...], runner: str) -> tuple[StateChange, ...]:
    """The actor's changes, less what the engine and we put there."""
    ours = ("/solution", "/logs", runner, "/etc/ld.so.preload", "/sbin/docker-init")
    return tuple(
        change
        for change in changes
        if not any(change.path == p or change.path.startswith(p + "/") for p in ours)
        and change.path != "/usr/sbin/docker-init"
    )
