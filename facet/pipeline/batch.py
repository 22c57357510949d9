"""Seeds through the line, several at a time. One seed's trouble never stops another.

A first Ctrl-C lets what is under way reach its next stage and starts nothing new; the run can be
resumed. A bug of ours in one seed is recorded with its traceback and raised when the others ended.
"""

import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from facet.errors import Cancelled, WorkspaceError
from facet.pipeline.stop import Stop
from facet.types.payloads import TaskEnded
from facet.types.skill import Seed

POLL_S = 0.5


def run_batch(
    seeds: Sequence[Seed],
    work: Callable[[Seed], TaskEnded],
    *,
    workers: int,
    stop: Stop,
    ended: Callable[[Seed, TaskEnded], None],
    broken: Callable[[Seed, str], None],
) -> None:
    """Work off the seeds in order. Returns when all ended or the run was stopped.

    `ended` and `broken` (with a traceback) are called in this thread. Raises the first
    unexpected error of a seed after all others ended, and WorkspaceError as soon as one occurs.
    """
    todo = list(seeds)
    running: dict[Future[TaskEnded], Seed] = {}
    first: BaseException | None = None
    with ThreadPoolExecutor(max_workers=max(1, workers), thread_name_prefix="seed") as pool:
        while todo or running:
            try:
                while todo and len(running) < max(1, workers) and not stop.is_set():
                    seed = todo.pop(0)
                    running[pool.submit(work, seed)] = seed
                if not running:
                    break
                done, _ = wait(running, timeout=POLL_S, return_when=FIRST_COMPLETED)
            except KeyboardInterrupt:
                if stop.by == "person":
                    raise
                stop.person()
                continue
            for future in done:
                seed = running.pop(future)
                error = future.exception()
                if error is None:
                    ended(seed, future.result())
                elif isinstance(error, Cancelled):
                    continue
                else:
                    first = first or error
                    if isinstance(error, WorkspaceError):
                        stop.trouble(str(error))
                    else:
                        broken(seed, "".join(traceback.format_exception(error)))
    if first is not None:
        raise first
