"""The command line of the tools that write a table in a page of docs/."""
import pathlib
import sys


def main(page, mark, rows, end=None):
    """usage: TOOL ROOT [--check]: writes rows(root), lines of the page, behind the line `mark`, up to the line `end` or to
    the end of the page; --check writes nothing and fails if the page is out of date."""
    root = pathlib.Path(sys.argv[1])
    path = root / "docs" / page
    text = path.read_text(encoding="utf-8")
    head, found, old = text.partition(mark)
    if not found or (end is not None and end not in old):
        sys.exit(f"docs/{page} has no line {(end if found else mark).strip()}")
    rest = "" if end is None else end + old.partition(end)[2]
    wanted = head + mark + "\n".join(["", *rows(root)]) + "\n" + rest
    if "--check" not in sys.argv[2:]:
        path.write_text(wanted, encoding="utf-8")
    elif wanted != text:
        sys.exit(f"docs/{page} is out of date: run {sys.argv[0]}")
