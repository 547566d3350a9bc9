"""What the tests of the command line share: run a command, note what does not hold, count."""
import os
import pathlib
import subprocess
import sys


class Cli:
    """Runs parsim from the source folder and collects failures."""

    def __init__(self):
        self.parsim = str(pathlib.Path(sys.argv[1]).resolve())
        self.source = pathlib.Path(sys.argv[2]).resolve()
        self.checks = 0
        self.failures = 0
        self.environment = {name: value for name, value in os.environ.items()
                            if name not in ("NO_COLOR", "PARSIM_MODELS")}

    def run(self, *arguments, **options):
        """The finished process; stdout and stderr are bytes, standard input is empty."""
        options.setdefault("cwd", self.source)
        options.setdefault("env", self.environment)
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        return subprocess.run([self.parsim, *map(str, arguments)], timeout=120, check=False,
                              **options)

    def check(self, holds, claim, *details):
        """Notes that a claim does not hold, with what was found instead."""
        self.checks += 1
        if not holds:
            self.failures += 1
            print(f"FAILED: {claim}")
            for detail in details:
                text = detail.decode(errors="replace") if isinstance(detail, bytes) else str(detail)
                print("    " + text.replace("\n", "\n    "))

    def finish(self):
        """Exits with 1 when a check failed or none ran."""
        print(f"{self.checks} checks, {self.failures} failures")
        sys.exit(1 if self.failures or not self.checks else 0)
