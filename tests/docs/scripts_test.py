#!/usr/bin/python3
"""The scripts in tools/ do what they say: on a machine of stand-ins, so nothing is installed or built.

    scripts_test.py PARSIM SOURCE_FOLDER
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from harness import Cli  # noqa: E402

REAL = ("bash", "dirname", "sed", "cat", "env", "grep", "tail", "head", "find", "sort", "xargs", "mkdir", "nproc")
DPKG = """for name; do :; done
case " $MISSING " in *" $name "*) exit 1 ;; esac
echo installed
"""
CTEST = """preset=$2
grep -v '^#' "$LOGS/$preset"
exit "$(sed -n 's/^# exit //p' "$LOGS/$preset")"
"""


class Machine:
    """A copy of tools/ and a PATH with a few real programs and the stand-ins given as bash texts."""

    def __init__(self, cli, folder, **stand_ins):
        self.root = pathlib.Path(folder)
        self.bin = self.root / "bin"
        self.bin.mkdir()
        shutil.copytree(cli.source / "tools", self.root / "tools")
        for name in REAL:
            (self.bin / name).symlink_to(shutil.which(name))
        for name, text in stand_ins.items():
            self.stand_in(name, text)

    def stand_in(self, name, text):
        path = self.bin / name.replace("_", "-")
        path.write_text(f"#!{self.bin}/bash\n{text}\n", encoding="utf-8")
        path.chmod(0o755)

    def run(self, *command, **variables):
        """From another folder, without standard input."""
        return subprocess.run([self.bin / "bash", self.root / command[0], *command[1:]], cwd="/", timeout=60,
                              env={"PATH": str(self.bin), **variables}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)


def scripts_parse(cli):
    scripts = [path for path in (cli.source / "tools").iterdir() if os.access(path, os.X_OK) and not path.is_dir()]
    scripts.append(cli.source / ".ci/run")
    cli.check(len(scripts) >= 6, "the scripts are there", scripts)
    for path in scripts:
        text = path.read_text(encoding="utf-8")
        if "bash" in text.split("\n", 1)[0]:
            run = subprocess.run(["bash", "-n", path], capture_output=True, check=False)
            cli.check(run.returncode == 0, f"{path.name} parses", run.stderr)
            cli.check("\nset -euo pipefail\n" in text, f"{path.name} stops at the first failure")
        else:
            compile(text, str(path), "exec")


def install_packages(cli):
    """Installs only what is missing, as root or with sudo, and says so when it cannot."""
    record = 'echo "$0 $*" >>"$CALLS"'
    for claim, user, sudo, apt, missing, code, calls in (
            ("nothing is missing", 0, False, "", "", 0, 0),
            ("root installs", 0, False, "", "ninja-build catch2", 0, 2),
            ("a user installs with sudo", 1000, True, "", "cmake", 0, 2),
            ("a user without sudo", 1000, False, "", "cmake", 1, 0),
            ("apt-get fails", 0, False, "exit 100", "cmake", 1, 1)):
        with tempfile.TemporaryDirectory() as folder:
            machine = Machine(cli, folder, dpkg_query=DPKG, apt_get=f"{record}\n{apt}", id=f"echo {user}")
            if sudo:
                machine.stand_in("sudo", 'exec "$@"')
            log = machine.root / "calls"
            run = machine.run("tools/install-packages", MISSING=missing, CALLS=str(log))
            made = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
            cli.check(run.returncode == code and len(made) == calls, f"install-packages: {claim}", run.stderr, made)
            if calls == 2:
                asked = made[1].split("--no-install-recommends ")[1].split()
                cli.check(sorted(asked) == sorted(missing.split()), f"install-packages: {claim}: only those", made)
            if code:
                cli.check("cmake" in run.stderr, f"install-packages: {claim}: the package is named", run.stderr)


def test_counts(cli):
    """tools/test adds both runs up in a last line of its own; its exit code says whether all is well."""
    good = "1/3 Test #1: a ... Passed 0.1 sec\n2/3 Test #2: b ...***Skipped 0.1 sec\n\n" \
           "100% tests passed, 0 tests failed out of 3\n# exit 0\n"
    bad = "1/4 Test #1: a ...***Failed 0.1 sec\n2/4 Test #2: b ...***Not Run 0.0 sec\n\n" \
          "50% tests passed, 2 tests failed out of 4\n# exit 8\n"
    none = "No tests were found!!!\n# exit 8\n"
    for claim, ci, asan, last, code in (
            ("all is well", good, good, "4 passed, 0 failed, 2 skipped", 0),
            ("failures are counted and the rest still runs", bad, good, "4 passed, 2 failed, 1 skipped", 1),
            ("a failure under the sanitizers counts", good, bad, "4 passed, 2 failed, 1 skipped", 1),
            ("no test is a failure", none, good, "0 passed, 1 failed, 0 skipped", 1)):
        with tempfile.TemporaryDirectory() as folder:
            machine = Machine(cli, folder, dpkg_query="echo installed", cmake="exit 0", ctest=CTEST,
                              **{"clang-format-14": "exit 0"})
            for part in ("sim", "tests", "build/ci", "build/asan", "logs"):
                (machine.root / part).mkdir(parents=True)
            for preset, log in (("ci", ci), ("asan", asan)):
                (machine.root / "logs" / preset).write_text(log, encoding="utf-8")
            run = machine.run("tools/test", LOGS=str(machine.root / "logs"))
            lines = run.stdout.splitlines() or [""]
            cli.check(lines[-1] == last and run.returncode == code, f"tools/test: {claim}", run.stdout, run.stderr)
            cli.check("== build: 0 s" in run.stdout, f"tools/test: {claim}: steps are timed", run.stdout)


def format_stops(cli):
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(cli, folder, dpkg_query="echo installed", **{"clang-format-14": "exit 1"})
        (machine.root / "sim").mkdir()
        (machine.root / "sim/a.cc").touch()
        run = machine.run("tools/test")
        cli.check(run.returncode == 1 and run.stdout.endswith("\n0 passed, 1 failed, 0 skipped\n"),
                  "tools/test: a badly formatted file fails", run.stdout, run.stderr)


def update_docs(cli):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for part in ("tools", "docs", "scenarios"):
            shutil.copytree(cli.source / part, root / part)

        def update(*arguments):
            return subprocess.run([root / "tools/update-docs", *arguments, cli.parsim], cwd="/", capture_output=True,
                                  text=True, check=False)
        run = update("--check")
        cli.check(run.returncode == 0, "the generated pages are up to date", run.stderr)
        page = root / "docs/scenario-reference.md"
        right = page.read_bytes()
        page.write_bytes(right + b"old\n")
        run = update("--check")
        cli.check(run.returncode == 3 and "docs/scenario-reference.md is out of date" in run.stderr,
                  "update-docs --check finds an old page", run.stderr)
        cli.check(page.read_bytes() != right, "update-docs --check changes nothing")
        cli.check(update().returncode == 0 and page.read_bytes() == right, "update-docs writes the page anew")


def main():
    cli = Cli()
    scripts_parse(cli)
    install_packages(cli)
    test_counts(cli)
    format_stops(cli)
    update_docs(cli)
    cli.finish()


if __name__ == "__main__":
    main()
