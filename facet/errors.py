"""Every error a caller may catch, one class per boundary.

FacetError
├── InputError          what the user gave is wrong (a path, a flag, a file); exit code 2
│   ├── TaskFolderError a Harbor task folder cannot be read
│   ├── SkillError      a skill package cannot be read
│   └── PromptError     a template is missing, or uses a variable nobody gives
├── WorkspaceError      the workspace cannot be used (newer version, locked, damaged); exit code 4
│   ├── WorkspaceBusy   another process owns what we need
│   └── JournalError    an event could not be written: nothing may be called saved
├── ModelError          a model call gave nothing usable
│   ├── ModelUnavailable  outage, rate limit, no key: our trouble, the work is owed
│   ├── ReplyError        the reply does not parse as its type, twice
│   └── BudgetExceeded    the call was not made: it would pass a limit the user set
├── EngineError         Docker or the host failed us: infrastructure, never the task's fault
│   ├── EngineUnavailable no Docker server answers; exit code 3
│   ├── BaseMissing       a base image or the grading runner is not built; exit code 3
│   └── SandboxGone       the container vanished under us
├── BuildError          the image does not build from the task's own context: the task's fault
└── Cancelled           the user stopped the work; it can be resumed; exit code 130

An error prints as one line: what, where, what to do. Any other exception is a bug of ours.
"""


class FacetError(Exception):
    """Root of all errors this package raises on purpose."""

    exit_code = 1


class InputError(FacetError):
    """What the user gave is wrong: the message says what, where and what to do."""

    exit_code = 2


class TaskFolderError(InputError):
    """A Harbor task folder cannot be read as a task."""


class SkillError(InputError):
    """A skill package cannot be read at all (not: was screened out)."""


class PromptError(InputError):
    """A prompt template is missing, broken, or uses a variable that is not given."""


class WorkspaceError(FacetError):
    """The workspace cannot be used as it is."""

    exit_code = 4


class WorkspaceBusy(WorkspaceError):
    """Another process holds what this one needs; the message names it."""


class JournalError(WorkspaceError):
    """An event could not be made durable: the caller must not say "saved"."""


class ModelError(FacetError):
    """A model call gave nothing usable."""


class ModelUnavailable(ModelError):
    """Outage, rate limit or missing key: the work is owed, nobody is blamed."""


class ReplyError(ModelError):
    """The reply does not parse as its type, also after one corrective retry."""


class BudgetExceeded(ModelError):
    """The call was not made, because it would pass a limit the user set."""


class EngineError(FacetError):
    """Docker or the host failed us: infrastructure, never the task's fault."""

    exit_code = 3


class EngineUnavailable(EngineError):
    """No Docker server answers."""


class BaseMissing(EngineError):
    """A base image or the grading runner is not built on this machine."""


class SandboxGone(EngineError):
    """The container is gone although nobody asked for that."""


class BuildError(FacetError):
    """The image does not build from the task's own context.

    `log` holds the tail of the build log (text, bounded), `line` the first failing Dockerfile
    instruction where the engine named it.
    """

    def __init__(self, message: str, *, log: str = "", line: str = "") -> None:
        super().__init__(message)
        self.log = log
        self.line = line


class Cancelled(FacetError):
    """The user stopped the work; what was finished is kept and can be resumed."""

    exit_code = 130
