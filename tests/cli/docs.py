#!/usr/bin/python3
"""The documents hold: commands in them run, links lead somewhere, generated pages are up to date.

    docs.py PARSIM SOURCE_FOLDER
"""
import os
import pathlib
import re
import subprocess
import tempfile

from harness import Cli

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")


def commands(cli, page, folder):
    """Runs the `$ parsim …` lines of a page where the shipped files are and output may be left."""
    environment = dict(cli.environment, PATH=f"{folder}/bin:{os.environ['PATH']}")
    for block in BLOCK.findall(page.read_text(encoding="utf-8")):
        for line in block.splitlines():
            if line.startswith("$ parsim"):
                run = subprocess.run(["bash", "-c", line[2:]], cwd=folder, env=environment,
                                     stdin=subprocess.DEVNULL, capture_output=True, timeout=120,
                                     check=False)
                cli.check(run.returncode == 0, f"{page.name}: {line}", f"exit {run.returncode}",
                          run.stderr)


def links(cli, page):
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if "://" not in target:
            cli.check((page.parent / target).exists(), f"{page.name}: link to {target}")


def main():
    cli = Cli()
    pages = sorted([*cli.source.glob("*.md"), *(cli.source / "docs").glob("*.md"),
                    cli.source / "sim/README.md"])
    cli.check(len(pages) >= 9, "the pages are there", pages)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "bin").mkdir()
        (folder / "bin/parsim").symlink_to(cli.parsim)
        for shipped in ("scenarios", "models", "docs"):
            (folder / shipped).symlink_to(cli.source / shipped)
        for page in pages:
            commands(cli, page, folder)
            links(cli, page)
    before = cli.checks
    cli.check(before > 40, "commands and links were found", before)
    for arguments, page in ((("schema",), "scenario.schema.json"),
                            (("schema", "--reference"), "scenario-reference.md")):
        cli.check(cli.run(*arguments).stdout == (cli.source / "docs" / page).read_bytes(),
                  f"docs/{page} is up to date (else: tools/update-docs PARSIM)")
    cli.finish()


if __name__ == "__main__":
    main()
