"""Harbor folders as others write them: no manifest, a plain test.sh that writes a reward."""

from pathlib import Path

DOCKERFILE = "FROM facet-base\nRUN mkdir -p /app\nWORKDIR /app\n"
CONFIG = (
    '[task]\nname = "other/{name}"\n[agent]\ntimeout_sec = 60.0\n[verifier]\ntimeout_sec = 60.0\n'
)


def verdict_of(test: str) -> str:
    """A test.sh that writes reward 1 if this shell test holds, else 0."""
    return (
        "#!/bin/bash\nmkdir -p /logs/verifier\n"
        f"if {test}; then echo 1; else echo 0; fi > /logs/verifier/reward.txt\n"
    )


def write(path: Path, files: dict[str, str], *, config: str = "") -> Path:
    """A folder of these files; task.toml, Dockerfile and instruction unless given or empty."""
    given = {
        "task.toml": config + CONFIG.format(name=path.name),
        "environment/Dockerfile": DOCKERFILE,
        "instruction.md": "Do it.\n",
    }
    for name, text in {**given, **files}.items():
        if text:
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (path / name).write_bytes(text.encode())
    return path


def plain(path: Path, **more: str) -> Path:
    """A good task of one step."""
    files = {
        "solution/solve.sh": "#!/bin/bash\necho 42 > /app/answer.txt\n",
        "tests/test.sh": verdict_of('[ "$(cat /app/answer.txt 2>/dev/null)" = 42 ]'),
    }
    return write(path, {**files, **more})


def apart(path: Path, artifacts: str, **more: str) -> Path:
    """A task whose verifier has its own image and is given `artifacts` (TOML)."""
    files = {
        "solution/solve.sh": "#!/bin/bash\nmkdir -p /app/out\necho 42 > /app/out/answer.txt\n"
        "echo secret > /app/notes.txt\n",
        "tests/Dockerfile": "FROM facet-base\nCOPY . /tests\n",
        "tests/test.sh": verdict_of(
            '[ "$(cat /app/out/answer.txt 2>/dev/null)" = 42 ] && [ ! -e /app/notes.txt ]'
        ),
    }
    config = f"artifacts = {artifacts}\n" if artifacts else ""
    path = write(path, {**files, **more}, config=config)
    text = (path / "task.toml").read_text()
    (path / "task.toml").write_text(text + 'environment_mode = "separate"\n')
    return path


def two_steps(path: Path, **more: str) -> Path:
    """Step 02 adds to what step 01 made; its start needs a file and a set-up of its own."""
    files = {
        "instruction.md": "",
        "steps/01/instruction.md": "Write 1 to /app/a.\n",
        "steps/01/solution/solve.sh": "#!/bin/bash\necho 1 > /app/a\n",
        "steps/01/tests/test.sh": verdict_of('[ "$(cat /app/a 2>/dev/null)" = 1 ]'),
        "steps/02/instruction.md": "Write the sum of /app/a and /app/extra to /app/b.\n",
        "steps/02/workdir/extra": "2\n",
        "steps/02/workdir/setup.sh": "echo done > /app/prepared\n",
        "steps/02/solution/solve.sh": "#!/bin/bash\nset -e\n[ ! -e /tests ]\n"
        "echo $(( $(cat /app/a) + $(cat /app/extra) )) > /app/b\n",
        "steps/02/tests/test.sh": verdict_of(
            '[ -f /app/prepared ] && [ "$(cat /app/b 2>/dev/null)" = 3 ]'
        ),
    }
    path = write(path, {**files, **more})
    text = (path / "task.toml").read_text()
    (path / "task.toml").write_text(text + '[[steps]]\nname = "01"\n[[steps]]\nname = "02"\n')
    return path
