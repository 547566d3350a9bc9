#!/usr/bin/python3
"""An installed parsim runs from its prefix, with the models installed beside it.

    installed.py CMAKE BUILD_FOLDER SOURCE_FOLDER
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SHARED = ("parsim/scenario.schema.json", "bash-completion/completions/parsim",
          "zsh/site-functions/_parsim", "fish/vendor_completions.d/parsim.fish")


def main():
    cmake, build, source = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    environment = {name: value for name, value in os.environ.items() if name != "PARSIM_MODELS"}
    with tempfile.TemporaryDirectory() as name:
        prefix = pathlib.Path(name) / "a prefix"
        subprocess.run([cmake, "--install", build, "--prefix", prefix], check=True,
                       stdout=subprocess.DEVNULL)
        missing = [file for file in SHARED if not (prefix / "share" / file).stat().st_size]
        shutil.copy(source / "scenarios/smoke/llama3-8b-one-node.json", prefix / "job.json")
        # Proof that the models beside the program are used: one that ships nowhere else.
        models = prefix / "share/parsim/models/devices"
        shutil.copy(models / "h100-sxm.json", models / "only-here.json")
        run = subprocess.run([prefix / "bin/parsim", "run", "job.json", "--json", "--set",
                              "cluster.device=only-here"], cwd=prefix, env=environment,
                             capture_output=True, timeout=60, check=False)
        print(run.stderr.decode(errors="replace"))
        works = run.returncode == 0 and json.loads(run.stdout)["step_time_s"] > 0
    print(f"missing: {missing}, runs: {works}")
    return 0 if works and not missing else 1


if __name__ == "__main__":
    sys.exit(main())
