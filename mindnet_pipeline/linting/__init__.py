"""What is wrong in a vault's notes, for people. Pure: notes in, problems out; the command line is `lint.py`."""

from mindnet_pipeline.linting.problems import Problem, Severity
from mindnet_pipeline.linting.rules import lint_vault

__all__ = ["Problem", "Severity", "lint_vault"]
