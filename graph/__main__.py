"""``python -m graph`` is the command ``vams-graph``."""

import sys

from graph.cli import main

sys.exit(main())
