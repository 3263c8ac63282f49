"""The pages that are written for people, and the code in them."""
import re


def pages(root):
    return [root / "README.md", *sorted((root / "docs").glob("*.md")), root / "tests" / "README.md"]


def code_blocks(path):
    """(language, text) of the fenced blocks of a page."""
    return re.findall(r"^```(\w*)\n(.*?)^```", path.read_text(encoding="utf-8"), re.M | re.S)
