#!/usr/bin/python3
"""`parsim check` on every bad input prints exactly what is expected, and nothing on stdout.

    bad_inputs.py PARSIM SOURCE_FOLDER

NAME.expected holds "exit N" and then stderr, as seen from inside the folder.
"""
import os
import pathlib
import subprocess
import sys


def main():
    parsim, folder = sys.argv[1], pathlib.Path(sys.argv[2]) / "tests/cli/bad_inputs"
    environment = dict(os.environ, PARSIM_MODELS="models", NO_COLOR="1")
    names = sorted(path.stem for path in folder.glob("*.json"))
    failures = 0
    for name in names:
        run = subprocess.run([parsim, "check", name + ".json"], cwd=folder, env=environment,
                             capture_output=True, timeout=60)
        found = b"exit %d\n" % run.returncode + run.stderr
        if found != (folder / (name + ".expected")).read_bytes() or run.stdout:
            failures += 1
            print(f"{name}: found\n{(found + run.stdout).decode(errors='replace')}")
    print(f"{len(names)} bad inputs, {failures} failures")
    return 1 if failures or len(names) < 45 else 0


if __name__ == "__main__":
    sys.exit(main())
