"""``python -m wcnfgen`` is ``wcnfgen``."""

from __future__ import annotations

import sys

from wcnfgen.cli import main

if __name__ == "__main__":
    sys.exit(main())
