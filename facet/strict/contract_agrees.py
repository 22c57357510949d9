"""Gate `contract_agrees`: no row of the contract matrix in which one artifact stands alone."""

from facet.contract.matrix import contract_matrix
from facet.judge import Bench
from facet.types.verdict import Gate


def contract_agrees(bench: Bench) -> Gate:
    """Compare what ran with what is said; each detail starts with the artifact to blame."""
    if bench.task.environment.manifest is None:
        line = "the task carries no manifest"
        return Gate(name="contract_agrees", status="not_applicable", evidence=line)
    nop, oracle = bench.both_ends()
    matrix = contract_matrix(bench.task, realized=bench.realized().manifest, oracle=oracle, nop=nop)
    details = tuple(
        f"{d.artifact}: {d.kind} {d.value}: {d.why} ({d.where})" for d in matrix.disagreements
    )
    if details:
        return Gate(
            name="contract_agrees", status="failed", evidence=details[0], details=details[:40]
        )
    line = f"{len(matrix.rows)} rows agree"
    return Gate(name="contract_agrees", status="passed", evidence=line)
