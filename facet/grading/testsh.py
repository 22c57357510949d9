"""The `tests/test.sh` of every task written here.

Where FACET grades, `$FACET_RUNNER` names the mounted runner; elsewhere (stock Harbor) the same
runner lies in the image. Both run the same checks and write the same files, without network.
"""

VERIFIER_HOME = "/opt/facet-verifier"
"""Where base images keep the runner; `<home>/run` starts it."""

TEST_SH = f"""#!/bin/bash
# Runs the checks of this folder; writes reward.json and ctrf.json to /logs/verifier.
if [ -n "${{FACET_RUNNER:-}}" ]; then
  exec "$FACET_RUNNER" /tests
fi
exec {VERIFIER_HOME}/run /tests
"""
"""Exact text: a task whose test.sh equals it is graded without the image's shell."""
