"""What a test needs and a machine may lack: a failure in CI, a skip with its reason elsewhere."""

from __future__ import annotations

import os

import pytest


def needs(found: object, what: str) -> None:
    """Go on if it is there."""
    if found:
        return
    if os.environ.get("CI"):
        pytest.fail(f"{what} is missing, and CI has to have it")
    pytest.skip(f"{what} is not installed")
