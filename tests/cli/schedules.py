#!/usr/bin/python3
"""compare, import schedule and export schedule.   schedules.py PARSIM SOURCE_FOLDER"""
import json
import pathlib
import tempfile
import xml.etree.ElementTree

from harness import Cli

PIPELINE = "scenarios/smoke/1f1b.json"
LARGE = "scenarios/published/megatron-sc21-145b.json"


def compare(cli, folder):
    svg, out = folder / "s.svg", folder / "s.json"
    run = cli.run("compare", LARGE, "--schedules", "all", "--svg", svg, f"--json={out}")
    cli.check(run.returncode == 0 and not run.stderr, "every schedule of the large job", run.stderr)
    rows = json.loads(out.read_text())["schedules"]
    steps = [row["step_time_s"] for row in rows if "step_time_s" in row]
    cli.check(len(rows) == 17 and len(steps) == 16, "all but naive can run", rows)
    cli.check(steps == sorted(steps), "the fastest first", steps)
    by_name = {row["schedule"]: row for row in rows}
    cli.check("one micro-batch" in by_name["naive"]["problem"], "and naive says why not")
    alone = json.loads(cli.run("run", LARGE, "--json").stdout)["step_time_s"]
    cli.check(by_name["interleaved-1f1b"]["step_time_s"] == alone, "the own row is that of run", alone)
    cli.check(by_name["gpipe"]["peak_in_flight"] == 48 and by_name["1f1b"]["peak_in_flight"] == 8,
              "in flight: M and P")
    split = [row["step_time_s"] for row in rows if row["schedule"] in
             ("1f1b", "gpipe", "zb-h1", "zb-h2", "interleaved-1f1b") and row["fits"]]
    cli.check(by_name["auto"]["step_time_s"] <= 1.01 * min(split), "auto is among the best", by_name["auto"])
    cli.check(by_name["auto"]["fits"], "auto keeps to the memory", by_name["auto"])
    text = run.stdout.decode()
    cli.check("not possible: " in text and "rank 7" in text and "one column is" in text, "table and pictures", text)
    root = xml.etree.ElementTree.parse(svg).getroot()
    cli.check(root.tag.endswith("svg") and svg.stat().st_size < 2_000_000, "one SVG for all", svg.stat().st_size)
    few = cli.run("compare", PIPELINE, "--schedules", "gpipe,zb-h1", "--no-pictures").stdout.decode()
    cli.check(few.startswith("schedule") and "zb-h1" in few and "zb-v" not in few, "only those asked for", few)
    again = [cli.run("compare", PIPELINE).stdout for _ in range(2)]
    cli.check(again[0] == again[1], "the same bytes again")


def compare_bad(cli, folder):
    for arguments, message in ((["--schedules", "zb-h3"], "zb-h3"), (["--schedules", ""], "is not one of"),
                               ([f"--json={folder}/no/x"], "cannot write"), (["--svg", str(folder)], "cannot write")):
        run = cli.run("compare", PIPELINE, *arguments)
        cli.check(run.returncode in (1, 2) and message in run.stderr.decode() and not run.stdout,
                  f"compare {arguments} is refused", run.stderr)


def automatic(cli, folder):
    auto = "scenarios/smoke/auto.json"
    run = cli.run("run", auto, "--set", "schedule.in_flight_limit=1")
    cli.check(run.returncode == 2 and b"/schedule/in_flight_limit: one micro-batch has 2 stages in flight" in run.stderr,
              "a limit below one micro-batch is refused", run.stderr)
    steps = []
    for limit in (2, 4, 6, 8, 16):
        report = json.loads(cli.run("run", auto, "--json", "--set", f"schedule.in_flight_limit={limit}").stdout)
        peak = max(order["peak_in_flight"] for order in report["orders"])
        cli.check(peak <= limit, f"auto keeps to {limit} in flight", peak)
        steps.append(report["step_time_s"])
    cli.check(steps == sorted(steps, reverse=True) and steps[0] > 2 * steps[-1], "more memory, less time", steps)
    few = ["--set", 'cluster.device.memory="1 MiB"']
    run = cli.run("run", "scenarios/smoke/1f1b.json", "--set", "schedule.name=auto", *few)
    cli.check(run.returncode == 2 and b"finds no order that fits" in run.stderr, "nothing fits", run.stderr)


def exchange(cli, folder):
    csv, part = folder / "o.csv", folder / "part.json"
    for name, chunks in (("1f1b", 1), ("zb-h2", 1), ("zb-v", 2), ("dualpipev", 2), ("interleaved-1f1b", 2)):
        settings = ["--set", f"schedule.name={name}", "--set", f"schedule.chunks={chunks}",
                    "--set", "model.layers[0].repeat=8"]
        made = cli.run("export", "schedule", PIPELINE, *settings, "--out", csv)
        cli.check(made.returncode == 0, f"{name} is exported", made.stderr)
        taken = cli.run("import", "schedule", csv, "--out", part)
        cli.check(taken.returncode == 0 and b": ok: 4 ranks" in taken.stdout, f"{name} is imported", taken.stderr)
        scenario = json.loads((cli.source / PIPELINE).read_text())
        scenario["model"]["layers"][0]["repeat"] = 8
        del scenario["$schema"]
        times = []
        for schedule in (json.loads(part.read_text()), {"name": "explicit", "file": "o.csv"}):
            scenario["schedule"] = schedule
            path = folder / "job.json"
            path.write_text(json.dumps(scenario))
            run = cli.run("run", path, "--json")
            cli.check(run.returncode == 0, f"{name} runs from a file", run.stderr)
            times.append(json.loads(run.stdout)["step_time_s"])
        direct = json.loads(cli.run("run", PIPELINE, *settings, "--json").stdout)["step_time_s"]
        cli.check(times == [direct, direct], f"{name} takes the same time from a file", times, direct)
        lowered = cli.run("export", "schedule", csv, "--merge", "--unshard", "3", "--reduce-grad", "--comms",
                          "--defer-receives").stdout
        (folder / "comms.csv").write_bytes(lowered)
        cli.check(b"SEND_F" in lowered and b"REDUCE_GRAD" in lowered and b"UNSHARD" in lowered, f"{name} is lowered")
        again = cli.run("import", "schedule", folder / "comms.csv")
        cli.check(again.returncode == 0 and b"with communication" in again.stderr, f"{name} lowered is a schedule",
                  again.stderr)
        scenario["schedule"] = {"name": "explicit", "file": "comms.csv"}
        path.write_text(json.dumps(scenario))
        run = cli.run("run", path, "--json")
        cli.check(run.returncode == 0 and json.loads(run.stdout)["step_time_s"] >= direct * (1 - 1e-9),
                  f"{name} lowered runs", run.stderr)
        cli.check(any("UNSHARD" in text for text in json.loads(run.stdout)["assumptions"]),
                  f"{name} lowered says that gathering is free")


def exchange_bad(cli, folder):
    bad = folder / "bad.csv"
    for text, message in (("0F0,0B0\n1F0\n", 'bad.csv:2:1: "1B0" is missing'),
                          ("0F0,0X0\n", 'bad.csv:1:2: cell "0X0" is not an action'),
                          ("0F0,0W0,0I0\n", 'bad.csv:1:2: "0W0" stands before "0I0"'),
                          ("", "bad.csv:1:1: the file is empty")):
        bad.write_text(text)
        run = cli.run("import", "schedule", bad)
        cli.check(run.returncode == 2 and message in run.stderr.decode() and not run.stdout, message, run.stderr)
    bad.write_text("0F0,0B0,0F1,0B1\n1F0,1F1,1B0,1B1\n")
    run = cli.run("import", "schedule", bad)
    cli.check(run.returncode == 1 and b"1B0 of rank 1 comes after 1F1 of rank 1" in run.stderr, "a cycle is named",
              run.stderr)
    run = cli.run("export", "schedule", PIPELINE, "--set", "schedule.name=dualpipe")
    cli.check(run.returncode == 2 and b"one copy of the model" in run.stderr, "two copies cannot be written", run.stderr)
    scenario = json.loads((cli.source / PIPELINE).read_text())
    scenario["schedule"] = {"name": "explicit", "file": "missing.csv"}
    path = folder / "job.json"
    path.write_text(json.dumps(scenario))
    run = cli.run("check", path)
    cli.check(run.returncode == 2 and b"/schedule/file" in run.stderr and b"missing.csv" in run.stderr,
              "a missing file is named", run.stderr)
    scenario["schedule"] = {"name": "explicit", "file": "bad.csv", "orders": [["0F0"]]}
    path.write_text(json.dumps(scenario))
    run = cli.run("check", path)
    cli.check(run.returncode == 2 and b"as well" in run.stderr, "orders and a file are one too many", run.stderr)
    scenario["schedule"] = {"name": "1f1b", "file": "bad.csv"}
    path.write_text(json.dumps(scenario))
    run = cli.run("check", path)
    cli.check(run.returncode == 2 and b'for the schedule "explicit" only' in run.stderr, "a needless file", run.stderr)


def main():
    cli = Cli()
    for part in (compare, compare_bad, automatic, exchange, exchange_bad):
        with tempfile.TemporaryDirectory() as folder:
            part(cli, pathlib.Path(folder))
    cli.finish()


if __name__ == "__main__":
    main()
