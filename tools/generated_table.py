"""The command line of the tools that write a table at the end of a page of docs/."""
import pathlib
import sys


def main(page, mark, rows):
    """usage: TOOL ROOT [--check]: writes rows(root), lines of the page, behind the line `mark`; --check writes nothing
    and fails if the page is out of date."""
    root = pathlib.Path(sys.argv[1])
    path = root / "docs" / page
    text = path.read_text(encoding="utf-8")
    head, found, _ = text.partition(mark)
    if not found:
        sys.exit(f"docs/{page} has no line {mark.strip()}")
    wanted = head + mark + "\n".join(["", *rows(root)]) + "\n"
    if "--check" not in sys.argv[2:]:
        path.write_text(wanted, encoding="utf-8")
    elif wanted != text:
        sys.exit(f"docs/{page} is out of date: run {sys.argv[0]}")
