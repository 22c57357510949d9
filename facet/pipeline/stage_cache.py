"""Finished stages of one seed: done once, then read back from their blob.

A stage's key is the digest of its inputs. Its end is one durable `stage.done` event, so a run that
was killed goes on behind its last finished stage.
"""

import time
from collections.abc import Callable, Mapping, Sequence

from facet.errors import Cancelled, FacetError, WorkspaceError
from facet.types.payloads import StageRecord
from facet.types.value import Value, digest_json
from facet.workspace import Workspace

STAGE_VERSION = 1
"""Raised when finished stages of an older FACET would mislead this one."""


class StageCache:
    """The stages of one seed in one run."""

    def __init__(
        self,
        workspace: Workspace,
        run: str,
        seed: str,
        done: Mapping[tuple[str, str, str], str],
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self._workspace = workspace
        self._run = run
        self._seed = seed
        self._done = done
        self._stopped = stopped

    def do[V: Value](
        self,
        stage: str,
        inputs: Sequence[Value | str],
        kind: type[V],
        work: Callable[[], V],
        keep: Callable[[V], bool] = lambda value: True,
    ) -> V:
        """The stage's output: read back when its inputs are the same, else made and recorded.

        An output that `keep` refuses is returned but not recorded as done (it is owed). Raises
        what `work` raises, after recording it; Cancelled before starting when the run is stopped.
        """
        given = [i if isinstance(i, str) else i.value_digest() for i in inputs]
        key = digest_json([stage, STAGE_VERSION, given])
        blob = self._done.get((self._seed, stage, key))
        if blob is not None:
            try:
                return self._workspace.blobs.get_value(blob, kind)
            except WorkspaceError:
                pass  # the blob is gone or of an older type: make it again
        if self._stopped():
            raise Cancelled(f"cancelled before stage {stage}")
        self._record("stage.started", StageRecord(stage=stage, key=key))
        started = time.monotonic()
        try:
            value = work()
        except Cancelled:
            raise
        except FacetError as error:
            seconds = time.monotonic() - started
            text = str(error)[:2000]
            self._record(
                "stage.failed", StageRecord(stage=stage, key=key, seconds=seconds, error=text)
            )
            raise
        seconds = time.monotonic() - started
        if not keep(value):
            text = "not assessed: will be done again"
            record = StageRecord(stage=stage, key=key, seconds=seconds, error=text)
            self._record("stage.failed", record)
            return value
        digest = self._workspace.blobs.put_value(value)
        self._record("stage.done", StageRecord(stage=stage, key=key, seconds=seconds, blob=digest))
        return value

    def _record(self, kind: str, record: StageRecord) -> None:
        self._workspace.journal.append(kind, record, run=self._run, seed=self._seed)  # type: ignore[arg-type]
