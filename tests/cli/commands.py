#!/usr/bin/python3
"""The command line as its user sees it: exit codes, exact texts, files left behind.

    commands.py PARSIM SOURCE_FOLDER
"""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

PARSIM, SOURCE = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
TEXTBOOK = str(SOURCE / "scenarios/smoke/textbook-3x3.json")
ONE_NIC = str(SOURCE / "scenarios/studies/one-nic-contention.json")
INTERLEAVED = str(SOURCE / "scenarios/smoke/interleaved-1f1b.json")
MAIN_JOB = str(SOURCE / "scenarios/published/megatron-sc21-145b.json")


def parsim(*arguments, cwd=None, **environment):
    return subprocess.run([PARSIM, *arguments], capture_output=True, text=True, timeout=120, cwd=cwd,
                          env=dict(os.environ, **environment))


class Usage(unittest.TestCase):
    def expect(self, arguments, code, stderr):
        run = parsim(*arguments)
        self.assertEqual((run.returncode, run.stdout), (code, ""))
        self.assertEqual(run.stderr, stderr)

    def test_no_command(self):
        run = parsim()
        self.assertEqual(run.returncode, 2)
        self.assertIn("a command is needed", run.stderr)
        self.assertIn("Examples:", run.stderr)

    def test_unknown_command(self):
        self.expect(["rnu"], 2, 'parsim: unknown command "rnu"\nhint: did you mean "run"?\n')
        run = parsim("frobnicate")
        self.assertEqual(run.returncode, 2)
        self.assertIn("the commands are", run.stderr)

    def test_unknown_option(self):
        self.expect(["run", TEXTBOOK, "--tarce", "x"], 2,
                    'parsim: unknown option "--tarce"\nhint: did you mean "--trace"?\n')
        self.expect(["--verison"], 2, 'parsim: unknown option "--verison"\nhint: did you mean "--version"?\n')
        for option in ("-x", "-x3"):
            self.expect(["run", TEXTBOOK, option], 2,
                        f'parsim: unknown option "{option}"\nhint: see parsim run --help\n')

    def test_surplus_argument(self):
        run = parsim("run", TEXTBOOK, "another.json")
        self.assertEqual(run.returncode, 2)
        self.assertIn("surplus argument: another.json", run.stderr)
        self.expect(["run", TEXTBOOK, "--json", "out.json"], 2,
                    "parsim: surplus argument: out.json\nhint: write --json=out.json\n")
        self.expect(["list", "devices", "extra"], 2,
                    "parsim: surplus argument: extra\nhint: see parsim list --help\n")

    def test_given_twice_without_value_or_with_too_much(self):
        for option, value, name in (("--trace", "t", "FILE"), ("--width", "80", "N"), ("--engine", "graph", "ENGINE")):
            self.expect(["run", TEXTBOOK, option, value, option, value], 2,
                        f"parsim: {option}: given more than once\nhint: see parsim run --help\n")
            for missing in (option, option + "="):
                self.expect(["run", TEXTBOOK, missing], 2,
                            f"parsim: {option}: {name} is missing\nhint: see parsim run --help\n")
        self.expect(["run", TEXTBOOK, "--json=a", "--json=b"], 2,
                    "parsim: --json: given more than once\nhint: see parsim run --help\n")
        self.expect(["run", TEXTBOOK, "--unfold=maybe"], 2,
                    "parsim: --unfold: takes no value\nhint: see parsim run --help\n")

    def test_empty_values(self):
        for option in ("--trace", "--models", "--set", "--engine", "--dump", "--trace-ranks"):
            run = parsim("run", TEXTBOOK, option, "")
            self.assertEqual((run.returncode, run.stdout), (2, ""), option)
            self.assertRegex(run.stderr, f'^parsim: {option}: (the value|"") is ', option)
        self.expect(["run", ""], 2, "parsim: scenario: the value is empty\n")
        self.expect(["run", TEXTBOOK, "--json="], 2,
                    "parsim: --json=: the value is empty\nhint: --json alone writes to standard output\n")

    def test_contradictions(self):
        for stage in ("scenario", "plan", "graph", "timeline"):
            for output in (["--json"], ["--json=t"], ["--trace", "t"]):
                self.expect(["run", TEXTBOOK, "--dump", stage, *output], 2,
                            "parsim: --dump stops before there is a report: leave out --json and --trace\n")
        self.expect(["--version", "list"], 2, "parsim: --version stands alone\nhint: leave out list\n")
        self.expect(["--json", "run", TEXTBOOK], 2,
                    "parsim: --json before the command belongs to --version\nhint: write parsim run --json\n")

    def test_wrong_choice(self):
        run = parsim("run", TEXTBOOK, "--engine", "simgird")
        self.assertEqual(run.returncode, 2)
        self.assertIn('--engine: "simgird" is not one of graph or simgrid', run.stderr)
        self.assertIn('did you mean "simgrid"?', run.stderr)

    def test_missing_scenario(self):
        run = parsim("run")
        self.assertEqual(run.returncode, 2)
        self.assertIn("scenario is required", run.stderr)

    def test_values_out_of_range(self):
        for arguments in (["--width", "-5"], ["--width", "59"], ["--width", "1e3"], ["--width", "99999999999"],
                          ["--trace-ranks", "0"], ["--trace", "t", "--trace-ranks", "3-1"],
                          ["--trace", "t", "--trace-ranks", "a"], ["--trace", "t", "--trace-ranks", "0-999999999"],
                          ["--trace", "t", "--trace-ranks", "7"], ["--trace", "t", "--trace-budget", "5"],
                          ["--trace", "t", "--trace-budget", "0 B"], ["--trace", "t", "--json=t"],
                          ["--timeline", "--no-timeline"], ["-q", "--stats"], ["-q", "--timeline"], ["--set", "x"], ["--set", "=3"]):
            run = parsim("run", TEXTBOOK, *arguments)
            self.assertEqual((run.returncode, run.stdout), (2, ""), arguments)
            self.assertTrue(run.stderr.startswith("parsim: "), (arguments, run.stderr))
        self.assertFalse(os.path.exists("t"))

    def test_help_has_examples(self):
        for arguments in ([], ["run"], ["compare"], ["import"], ["export"], ["check"], ["list"], ["schema"], ["completion"]):
            run = parsim(*arguments, "--help")
            self.assertEqual((run.returncode, run.stderr), (0, ""), arguments)
            self.assertIn("Examples:", run.stdout)
            self.assertGreaterEqual(run.stdout.count("\n  parsim ") + run.stdout.count("<(parsim"), 2, arguments)

    def test_version(self):
        run = parsim("--version")
        self.assertRegex(run.stdout, r"^parsim \d+\.\d+\.\d+ \(SimGrid \d+\.\d+.*, .+\)\n$")
        versions = json.loads(parsim("--version", "--json").stdout)
        self.assertEqual(set(versions), {"parsim", "simgrid", "compiler"})

    def test_completion(self):
        for shell in ("bash", "zsh", "fish"):
            run = parsim("completion", shell)
            self.assertEqual(run.returncode, 0)
            self.assertIn("run", run.stdout)
            self.assertIn("trace-ranks", run.stdout)
        script = parsim("completion", "bash").stdout
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)
        probe = script + "\nCOMP_WORDS=(parsim run --tra) COMP_CWORD=2; _parsim; echo ${COMPREPLY[@]}"
        found = subprocess.run(["bash", "-c", probe], capture_output=True, text=True, check=True).stdout
        self.assertEqual(set(found.split()), {"--trace", "--trace-ranks", "--trace-budget"})
        self.assertEqual(parsim("completion", "tcsh").returncode, 2)

    def test_completion_scripts_are_sound(self):
        for shell in ("bash", "zsh", "fish"):
            script = parsim("completion", shell).stdout
            if shutil.which(shell):
                subprocess.run([shell, "-n", "/dev/stdin"], input=script, text=True, check=True)
            # Also where the shell is not installed: every quote is closed on its line.
            escape = r"\\." if shell == "fish" else r"(?!)"
            for line in script.splitlines():
                self.assertRegex(line, rf"""^(?:#.*|(?:[^'"\\]|\\.|'(?:[^'\\]|{escape})*'|"[^"]*")*)$""", shell)

    def test_completion_of_choices(self):
        script = parsim("completion", "bash").stdout
        for words, expected in (("run --engine ''", {"graph", "simgrid"}), ("run --engine = g", {"graph"}),
                                ("run --engine =", {"graph", "simgrid"}), ("list n", {"networks", "nodes"}),
                                ("completion ''", {"bash", "zsh", "fish"}), ("c", {"check", "compare", "completion"})):
            count = len(words.split())
            probe = f"{script}\nCOMP_WORDS=(parsim {words}) COMP_CWORD={count}; _parsim; echo ${{COMPREPLY[@]}}"
            found = subprocess.run(["bash", "-c", probe], capture_output=True, text=True, check=True).stdout
            self.assertEqual(set(found.split()), expected, words)


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def report(self, *arguments):
        run = parsim("run", *arguments, "--json")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return json.loads(run.stdout)

    def test_textbook_picture(self):
        run = parsim("run", TEXTBOOK)
        self.assertEqual(run.returncode, 0)
        rows = [line.split() for line in run.stdout.splitlines()]
        self.assertIn(["slot", "T1", "T2", "T3", "T4", "T5"], rows)
        self.assertIn(["stage", "0", "0", "1", "2", ".", "."], rows)
        self.assertIn(["stage", "1", ".", "0", "1", "2", "."], rows)
        self.assertIn(["stage", "2", ".", ".", "0", "1", "2"], rows)

    def test_report_core(self):
        report = self.report(MAIN_JOB)
        self.assertEqual(report["schema_version"], 1)
        self.assertEqual(report["engine"], "simgrid")
        self.assertEqual(report["scenario"], "megatron-sc21-145b")
        self.assertAlmostEqual(sum(report["breakdown_s"].values()), report["step_time_s"],
                               delta=1e-9 * report["step_time_s"])
        self.assertEqual(set(report["breakdown_s"]), {
            "compute", "exposed_tensor", "exposed_data", "exposed_pipeline", "exposed_other", "bubble",
            "optimizer", "other"})
        self.assertEqual(set(report["throughput"]),
                         {"tokens_per_s", "samples_per_s", "tflops_per_device", "mfu", "hfu"})
        self.assertEqual(len(report["bubble"]["per_stage"]), 8)
        self.assertEqual(set(report["bubble"]["per_stage"][0]),
                         {"stage", "idle_s", "fraction", "warmup_s", "steady_s", "cooldown_s"})
        self.assertLessEqual({"stage", "peak_bytes", "weights", "gradients", "optimizer", "activations", "other"},
                             set(report["memory"]["per_stage"][0]))
        self.assertIs(report["memory"]["fits"], True)
        self.assertLessEqual({"task", "start_s", "end_s", "why"}, set(report["critical_path"][0]))
        self.assertIn("low_s", report["uncertainty"])
        self.assertTrue(any("roofline" in line for line in report["assumptions"]))
        self.assertEqual(report["simulation"]["ranks"], 1536)
        self.assertEqual(report["simulation"]["ranks_simulated"], 8)
        throughput = report["throughput"]
        self.assertAlmostEqual(throughput["samples_per_s"] * report["step_time_s"], 2304, places=6)
        self.assertAlmostEqual(throughput["tokens_per_s"], throughput["samples_per_s"] * 2048, places=3)

    def test_two_runs_are_byte_identical(self):
        for scenario in (ONE_NIC, INTERLEAVED):
            for engine in ("simgrid", "graph"):
                outputs = []
                for i in range(2):
                    trace = self.folder / f"trace{i}.json"
                    run = parsim("run", scenario, "--engine", engine, "--trace", str(trace),
                                 f"--json={self.folder / 'report.json'}")
                    outputs.append((run.stdout, trace.read_bytes(), (self.folder / "report.json").read_bytes()))
                self.assertEqual(outputs[0], outputs[1])

    def test_permuting_keys_changes_nothing(self):
        def shuffled(value, source):
            if isinstance(value, dict):
                items = [(key, shuffled(item, source)) for key, item in value.items()]
                source.shuffle(items)
                return dict(items)
            return [shuffled(item, source) for item in value] if isinstance(value, list) else value

        original = json.loads(pathlib.Path(ONE_NIC).read_text())
        expected = parsim("run", ONE_NIC, "--json").stdout
        for seed in range(5):
            path = self.folder / "shuffled.json"
            path.write_text(json.dumps(shuffled(original, random.Random(seed))))
            self.assertEqual(parsim("run", str(path), "--json").stdout, expected)

    def test_set_is_like_editing_the_file(self):
        edited = json.loads(pathlib.Path(ONE_NIC).read_text())
        edited["batch"]["global"] = 128
        edited["cluster"]["node"]["nic_bandwidth"] = "400 Gb/s"
        path = self.folder / "edited.json"
        path.write_text(json.dumps(edited))
        self.assertEqual(
            parsim("run", ONE_NIC, "--json", "--set", "batch.global=128", "--set",
                   "cluster.node.nic_bandwidth=400 Gb/s").stdout,
            parsim("run", str(path), "--json").stdout)
        run = parsim("run", ONE_NIC, "--set", "batch.golbal=128")
        self.assertEqual(run.returncode, 2)
        self.assertIn("--set batch.golbal=128", run.stderr)
        self.assertIn('did you mean "global"?', run.stderr)

    def test_engines_differ_only_where_links_are_shared(self):
        def step(scenario, engine):
            return self.report(scenario, "--engine", engine)["step_time_s"]

        self.assertAlmostEqual(step(TEXTBOOK, "graph"), step(TEXTBOOK, "simgrid"), delta=1e-9)
        self.assertGreater(step(ONE_NIC, "simgrid"), 1.05 * step(ONE_NIC, "graph"))

    def test_unfolded_agrees(self):
        folded, unfolded = self.report(ONE_NIC), self.report(ONE_NIC, "--unfold")
        self.assertAlmostEqual(folded["step_time_s"], unfolded["step_time_s"], delta=1e-9 * folded["step_time_s"])
        self.assertEqual(folded["simulation"]["ranks_simulated"], 2)
        self.assertEqual(unfolded["simulation"]["ranks_simulated"], 16)

    def test_cycle_is_named(self):
        scenario = json.loads((SOURCE / "scenarios/smoke/explicit.json").read_text())
        scenario["schedule"]["orders"] = [["0F0", "0B0", "0F1", "0B1"], ["1F0", "1F1", "1B0", "1B1"]]
        path = self.folder / "cycle.json"
        path.write_text(json.dumps(scenario))
        for verb in ("check", "run"):
            run = parsim(verb, str(path))
            self.assertEqual((run.returncode, run.stdout), (1, ""))
            self.assertIn("the schedule cannot finish with eager transfers", run.stderr)
            self.assertIn("1SEND_B0 of rank 1 is sent after 1B0 of rank 1\n  1B0 of rank 1 comes after 1F1 of rank 1",
                          run.stderr)

    def test_blocking_transfers_deadlock_1f1b(self):
        for mode, code in (("eager", 0), ("posted", 0), ("batched", 0), ("blocking", 1)):
            run = parsim("run", TEXTBOOK, "--set", "schedule.name=1f1b", "--set",
                         "schedule.forward_only=false", "--set", f"schedule.transfers={mode}")
            self.assertEqual(run.returncode, code, run.stderr)

    def test_unwritable_outputs_leave_nothing(self):
        missing = self.folder / "missing" / "out.json"
        for option in (["--trace", str(missing)], [f"--json={missing}"], ["--trace", str(self.folder)],
                       [f"--json={self.folder}"], ["--trace", "/dev/full"], ["--json=/dev/full"]):
            run = parsim("run", TEXTBOOK, *option)
            self.assertEqual(run.returncode, 1, (option, run.stderr))
            self.assertEqual(run.stdout, "", option)
            self.assertRegex(run.stderr, r"^parsim: .+\n$")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_names_do_not_reach_the_terminal_raw(self):
        run = parsim("run", TEXTBOOK, "--set", "name=a\x1b[31mb\nc")
        self.assertEqual(run.stdout.splitlines()[0], "a?[31mb?c")
        self.assertEqual(parsim("run", TEXTBOOK, "--trace", "-").returncode, 2)

    def test_full_and_closed_standard_output(self):
        with open("/dev/full", "w") as full:
            run = subprocess.run([PARSIM, "run", TEXTBOOK], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(run.returncode, 1)
        self.assertIn("cannot write to standard output", run.stderr)
        run = subprocess.run(["bash", "-c", f"'{PARSIM}' run '{MAIN_JOB}' --json | head -c 10"],
                             capture_output=True, text=True)
        self.assertEqual(run.stderr, "")

    def test_outputs_are_looked_at_before_the_run(self):
        good = self.folder / "good.json"
        run = parsim("run", TEXTBOOK, "--trace", str(good), f"--json={self.folder / 'no' / 'x'}")
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_outputs_never_overwrite_the_scenario_or_each_other(self):
        scenario = self.folder / "job.json"
        scenario.write_bytes(pathlib.Path(TEXTBOOK).read_bytes())
        (self.folder / "link.json").symlink_to(scenario)
        os.link(scenario, self.folder / "hard.json")
        before = scenario.read_bytes()
        for name in ("job.json", "./job.json", str(scenario), "link.json", "hard.json"):
            for option in ("--json", "--trace"):
                run = parsim("run", "job.json", f"{option}={name}", cwd=self.folder)
                self.assertEqual((run.returncode, run.stdout, run.stderr),
                                 (2, "", f"parsim: {option} would overwrite the scenario {name}\n"))
        self.assertEqual(scenario.read_bytes(), before)
        for name in ("out.json", "./out.json", str(self.folder / "out.json"), "link/../out.json"):
            (self.folder / "link").mkdir(exist_ok=True)
            run = parsim("run", "job.json", "--json=out.json", "--trace", name, cwd=self.folder)
            self.assertEqual((run.returncode, run.stdout, run.stderr),
                             (2, "", f"parsim: --trace and --json name the same file {name}\n"))
        self.assertFalse((self.folder / "out.json").exists())
        both = parsim("run", "job.json", "--json=/dev/null", "--trace", "/dev/null", cwd=self.folder)
        self.assertEqual((both.returncode, both.stderr), (0, ""))

    def test_dash_is_the_standard_stream(self):
        with open(TEXTBOOK, encoding="utf-8") as stream:
            run = subprocess.run([PARSIM, "run", "-", "-q"], stdin=stream, capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, parsim("run", TEXTBOOK, "-q").stdout, ""))
        run = parsim("run", TEXTBOOK, "--json=-", cwd=self.folder)
        self.assertEqual(run.stdout, parsim("run", TEXTBOOK, "--json").stdout)
        run = parsim("run", TEXTBOOK, "--json=true", cwd=self.folder)
        self.assertEqual(json.loads((self.folder / "true").read_text())["schema_version"], 1)

    def test_closed_and_full_standard_streams(self):
        def shell(command):
            return subprocess.run(["bash", "-c", command.replace("parsim", f"'{PARSIM}'", 1)], cwd=self.folder,
                                  capture_output=True, text=True)

        for standard_error in ("2>&-", "2>/dev/full"):
            self.assertEqual(shell(f"parsim run missing.json {standard_error}").returncode, 2)
            self.assertEqual(shell(f"parsim run '{MAIN_JOB}' -q --trace t --trace-budget 1MB {standard_error}").returncode, 0)
        # What was to be told must not end up in the file that was opened next.
        json.loads((self.folder / "t").read_text())
        run = shell(f"parsim run '{TEXTBOOK}' --json=r >&-")
        self.assertEqual(run.returncode, 1)
        self.assertIn("cannot write to standard output", run.stderr)
        json.loads((self.folder / "r").read_text())
        self.assertEqual(shell(f"parsim run '{TEXTBOOK}' -q <&-").returncode, 0)

    def test_old_output_survives_a_failure(self):
        report = self.folder / "report.json"
        report.write_text("old")
        run = parsim("run", TEXTBOOK, "--set", "batch.global=0", f"--json={report}")
        self.assertEqual(run.returncode, 2)
        self.assertEqual(report.read_text(), "old")

    def test_colour(self):
        escape = "\x1b["
        self.assertNotIn(escape, parsim("run", TEXTBOOK).stdout)
        self.assertIn(escape, parsim("run", TEXTBOOK, "--color", "always").stdout)
        self.assertNotIn(escape, parsim("run", TEXTBOOK, "--color", "never").stdout)
        self.assertNotIn(escape, parsim("run", TEXTBOOK, NO_COLOR="1").stdout)

    def test_width(self):
        for width in ("60", "80", "200"):
            lines = parsim("run", MAIN_JOB, "--width", width).stdout.splitlines()
            self.assertLessEqual(max(map(len, lines)), int(width))

    def test_trace_of_chosen_ranks(self):
        trace = self.folder / "trace.json"
        parsim("run", MAIN_JOB, "--trace", str(trace), "--trace-ranks", "0,1")
        events = json.loads(trace.read_text())["traceEvents"]
        self.assertEqual({event["pid"] for event in events if event["ph"] == "X"}, {0})

    def test_trace_budget(self):
        trace = self.folder / "trace.json"
        run = parsim("run", MAIN_JOB, "--trace", str(trace), "--trace-budget", "1MB")
        self.assertEqual(run.returncode, 0)
        self.assertIn("left out", run.stderr)
        self.assertLessEqual(trace.stat().st_size, 1_000_000)
        json.loads(trace.read_text())

    def test_dumps(self):
        for dump, word in (("scenario", '"model"'), ("plan", "0F0"), ("graph", "forward stage 0"),
                           ("timeline", "forward stage 0")):
            run = parsim("run", TEXTBOOK, "--dump", dump)
            self.assertEqual(run.returncode, 0)
            self.assertIn(word, run.stdout)

    def test_resolved_scenario_runs_to_the_same_report(self):
        path = self.folder / "resolved.json"
        path.write_text(parsim("check", MAIN_JOB, "--print-resolved").stdout)
        again, first = self.report(str(path)), self.report(MAIN_JOB)
        self.assertEqual(again["step_time_s"], first["step_time_s"])
        self.assertEqual(again["scenario_hash"], first["scenario_hash"])

    def test_interrupted_run_leaves_no_file(self):
        trace = self.folder / "trace.json"
        child = subprocess.Popen([PARSIM, "run", MAIN_JOB, "--unfold", "--trace", str(trace)],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            child.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGINT)
        child.wait(timeout=30)
        self.assertIn(child.returncode, (130, 0))
        self.assertFalse([path for path in self.folder.iterdir() if path.name != "trace.json"])


class Others(unittest.TestCase):
    def test_check(self):
        run = parsim("check", MAIN_JOB)
        self.assertEqual(run.returncode, 0)
        self.assertIn("145,622,261,760 parameters", run.stdout)
        self.assertIn("1,536 = tensor 8 x data 24 x pipeline 8", run.stdout)
        self.assertIn("24 replicas x 48 micro-batches x 2", run.stdout)
        self.assertIn("8 of 1,536 ranks", run.stdout)
        self.assertIn("all 3 ranks", parsim("check", TEXTBOOK).stdout)

    def test_list(self):
        self.assertIn("llama3-70b", parsim("list").stdout)
        devices = json.loads(parsim("list", "devices", "--json").stdout)
        self.assertEqual({entry["kind"] for entry in devices}, {"device"})
        self.assertTrue(all(entry["sources"] for entry in devices))
        self.assertIn("datasheet", parsim("list", "devices", "--sources").stdout)
        self.assertEqual(parsim("list", "things").returncode, 2)
        self.assertEqual(parsim("list", "--models", "/nonexistent").returncode, 2)

    def test_schema(self):
        schema = json.loads(parsim("schema").stdout)
        self.assertIn("properties", schema)
        self.assertIn("parallel", parsim("schema", "--reference").stdout)

    def test_unreadable_and_huge_files(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "huge.json").write_bytes(b" " * 50_000_000)
            run = parsim("check", "huge.json", cwd=folder)
            self.assertEqual(run.returncode, 2)
            self.assertIn("huge.json", run.stderr)
            self.assertTrue(run.stderr.startswith("huge.json: the file is larger than 16 MiB\n"), run.stderr)
            for path in ("missing.json", "."):
                run = parsim("check", path, cwd=folder)
                self.assertEqual(run.returncode, 2)
                self.assertIn(path, run.stderr)
            if os.geteuid() != 0:
                (folder / "secret.json").write_text("{}")
                (folder / "secret.json").chmod(0)
                self.assertEqual(parsim("check", "secret.json", cwd=folder).returncode, 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
