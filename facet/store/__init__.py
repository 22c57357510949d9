"""The index of a workspace: DuckDB tables made from the journal, and every query on them.

```
Store.open(workspace)     own index.duckdb (or, while another process owns it, an in-memory copy)
Store.memory(workspace)   an in-memory index made from the journals; nothing is written
store.ingest()            take in what was appended since; number of new events
store.tasks(run=, status=, text=, skill=, decision=, limit=, offset=) -> list[TaskRow]
store.count_tasks(same filters) -> int
store.task(key) -> TaskRow | None;  store.task_of(digest) -> TaskRow | None
store.history(key) -> TaskHistory | None       written, judged, blamed, rounds, decisions, notes …
store.runs() -> list[RunRow];  store.run(id) -> RunRow | None
store.funnel(run="") -> Funnel;  store.skills(kept=, text=, limit=, offset=) -> list[SkillRow]
store.pairs(run="") -> list[Stamped[PairJudged]];  store.contexts(run="", skill="") -> list[…]
store.decisions(task="", person="") -> list[DecisionRow]
store.checks(digest) -> list[CheckRow]         check x trial of the latest judgement
store.calls(run="") -> list[CallStats]
store.events(kinds, run=, seed=, key=, after=, limit=) -> list[Event]
store.sql(text, limit) -> Result               one SELECT over the documented views
store.health() -> Health
```
Every method opens its own cursor, so threads may share one store. The rows are in
`facet.store.rows`, the views for `facet sql` in `facet.store.views`. A forked child must not use
its parent's store. Not covered: deleting or changing anything; the journal only grows.
"""

from facet.store.rows import Result
from facet.store.store import Store

__all__ = ["Result", "Store"]
