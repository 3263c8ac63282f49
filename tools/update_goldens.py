#!/usr/bin/env python3
"""Rewrites the expected parts of golden files from what the code does now.

    tools/update_goldens.py [BUILD_FOLDER]     (default: build/release)

Look at the difference before you commit it: a golden file says what is right, not what happens.
"""

import os
import pathlib
import subprocess
import sys

# Test programs that read DYNACC_UPDATE_GOLDENS. One that is not there is passed over.
PROGRAMS = ["golden_test", "joint_graph_test", "partitioner_test", "emitter_test", "cuda_golden_test"]


def main() -> int:
    root = pathlib.Path(__file__).resolve().parent.parent
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else root / "build" / "release")
    environment = dict(os.environ, DYNACC_UPDATE_GOLDENS="1")
    for program in [build / "tests" / name for name in PROGRAMS]:
        if not program.exists():
            print(f"{program} has not been built: its golden files stay as they are")
            continue
        result = subprocess.run([program], cwd=root, env=environment, check=False)
        if result.returncode != 0:
            return result.returncode
    return subprocess.run(["git", "--no-pager", "diff", "--stat", "tests"], cwd=root,
                          check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
