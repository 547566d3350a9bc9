#!/usr/bin/python3
"""Files are written whole or not at all.   output_files.py PARSIM SOURCE_FOLDER"""
import json
import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import time

from harness import Cli

SCENARIO = "scenarios/smoke/1f1b.json"
LARGE = "scenarios/published/megatron-sc21-145b.json"


def limit_file_size():
    """Every file of this process ends at 1,000 bytes, as on a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


def good(cli, folder):
    report, trace = folder / "report.json", folder / "trace.json"
    run = cli.run("run", SCENARIO, f"--json={report}", "--trace", trace)
    cli.check(run.returncode == 0 and not run.stderr, "both files are written", run.stderr)
    cli.check(json.loads(report.read_bytes())["step_time_s"] > 0, "the report is JSON")
    cli.check(json.loads(trace.read_bytes())["traceEvents"], "the trace is JSON")
    cli.check(sorted(os.listdir(folder)) == ["report.json", "trace.json"], "and nothing else",
              os.listdir(folder))
    first = trace.read_bytes(), report.read_bytes()
    cli.run("run", SCENARIO, f"--json={report}", "--trace", trace)
    cli.check(first == (trace.read_bytes(), report.read_bytes()), "the same bytes again")
    budget = cli.run("run", SCENARIO, "--trace", trace, "--trace-budget", "20kB")
    cli.check(budget.returncode == 0 and trace.stat().st_size <= 20_000
              and b"left out" in budget.stderr and json.loads(trace.read_bytes()),
              "a trace keeps to its budget and says what it left out", budget.stderr)
    cli.run("run", SCENARIO, "--trace", trace, "--trace-ranks", "0")
    processes = {event["pid"] for event in json.loads(trace.read_bytes())["traceEvents"]
                 if event["ph"] == "X"}
    cli.check(len(processes) == 1, "--trace-ranks picks processes", processes)


def bad(cli, folder):
    for option in ("--json=", "--trace="):
        for path in (folder / "no/such/folder/out.json", folder):
            run = cli.run("run", SCENARIO, f"{option}{path}")
            cli.check(run.returncode == 1 and str(path).encode() in run.stderr
                      and not os.listdir(folder),
                      f"{option}{path} exits 1, names the file, leaves nothing", run.stderr,
                      os.listdir(folder))
        old = folder / "out.json"
        for before in (None, b"what stood here before"):
            if before:
                old.write_bytes(before)
            run = cli.run("run", SCENARIO, f"{option}{old}", preexec_fn=limit_file_size)
            left = {name: (folder / name).read_bytes() for name in os.listdir(folder)}
            cli.check(run.returncode == 1 and b"cannot write" in run.stderr
                      and left == ({"out.json": before} if before else {}),
                      f"{option} on a full disk: the old file or none", run.stderr, left)
        old.unlink()
        run = cli.run("run", SCENARIO, f"{option}/dev/full")
        cli.check(run.returncode == 1 and b"/dev/full" in run.stderr, f"{option}/dev/full",
                  run.stderr)


def interrupted(cli, folder):
    # Unfolded the main job writes its whole budget, long enough to be interrupted in the middle.
    process = subprocess.Popen(
        [cli.parsim, "run", LARGE, "--unfold", "--engine", "graph", "--trace", folder / "t.json"],
        cwd=cli.source, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not os.listdir(folder) and process.poll() is None:
        time.sleep(0.001)
    process.send_signal(signal.SIGINT)
    code = process.wait(timeout=120)
    cli.check(code == 130 and not os.listdir(folder),
              "an interrupted run exits 130 and leaves nothing", code, os.listdir(folder))


def main():
    cli = Cli()
    for part in (good, bad, interrupted):
        with tempfile.TemporaryDirectory() as folder:
            part(cli, pathlib.Path(folder))
    cli.finish()


if __name__ == "__main__":
    main()
