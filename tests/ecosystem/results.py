"""Results of files, kept from run to run; the report that sums them up by suite, and the page made of the report.

Results are records by file and setting (comparison.py makes them) in a JSON file of the build tree. The report is a
small JSON file that is committed; docs/compatibility.md is made of it and of nothing else.
"""
import json
import pathlib

from suites import rows

SHOWN_NAMES = 12  # of files that did not finish, on the page


class Results:
    """The records of a file at `path`, written at each change."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.records = {}
        if self.path.exists():
            self.records = {key_of(record): record for record in json.loads(self.path.read_text(encoding="utf-8"))}

    def add(self, record):
        self.records[key_of(record)] = record
        self.path.parent.mkdir(parents=True, exist_ok=True)
        new = self.path.with_suffix(".new")
        new.write_text("[\n" + ",\n".join(map(json.dumps, self.records.values())) + "\n]\n", encoding="utf-8")
        new.replace(self.path)

    def last_runs(self):
        """When each (suite, file) was run last."""
        dates = {}
        for record in self.records.values():
            key = record["suite"], record["file"]
            dates[key] = max(record["date"], dates.get(key, ""))
        return dates


def key_of(record):
    return record["suite"], record["file"], record["setting"]


def in_turns(files, results):
    """The files in the order to run them: those that waited longest first, the suites by turns."""
    dates = results.last_runs()

    def last_run(file):
        return dates.get((file.suite.name, file.name), "")
    by_suite = {}
    for file in files:
        by_suite.setdefault(file.suite.name, []).append(file)
    turns = []
    for own in by_suite.values():
        # Spread over the suite, so that a slice says something about all of it: neighbours by name are alike.
        spread = [own[i] for start in range(7) for i in range(start, len(own), 7)]
        waiting = sorted(spread, key=last_run)
        turns += [(last_run(file), turn, file) for turn, file in enumerate(waiting)]
    return [file for _, _, file in sorted(turns, key=lambda entry: entry[:2])]


def reason(test):
    """Why a test may differ, by the table known.txt; "" if there is no reason."""
    for row in rows("known.txt"):
        words, _, why = row.partition("|")
        if all(word in test for word in words.split()):
            return why.strip()
    return ""


def report(records, suites, file_counts, setting, versions):
    """The report on the records of a setting; `file_counts`: how many files each suite has."""
    listed, limits = [], set()
    for suite in suites:
        own = [record for record in records if (record["suite"], record["setting"], record["version"]) ==
               (suite.name, setting, versions[suite.package])]
        limits.update(tuple(record["limits"]) for record in own)
        if own:
            listed.append(suite_report(suite, own, file_counts[suite.name]))
    return {"setting": setting, "numpy": versions["numpy"], "limits": sorted(limits), "suites": listed}


def suite_report(suite, own, files):
    run = [record for record in own if record["status"] not in ("no result", "nothing captured")]

    def total(name):
        return sum(record.get(name, 0) for record in run)

    def files_that(*status):
        return sorted(f"{record['file']}: {record['why']}" if record["why"] else record["file"]
                      for record in own if record["status"] in status)
    timed = [record for record in run if record["status"] in ("same", "different")]
    return {
        "suite": suite.name, "package": suite.package, "version": own[0]["version"],
        "files": files, "files_run": len(run),
        "tests": total("tests"), "same": total("same"), "passed": total("passed"), "left_out": total("left_out"),
        "unfinished": total("unfinished"),
        "differing": [[record["file"], *line, reason(line[0])] for record in run for line in record["differing"]],
        "crashed": [f"{record['file']}: {record['why']}" for record in run
                    if record["status"] == "different" and record["why"]],
        "not_finished": files_that("not finished"), "nothing_captured": files_that("nothing captured"),
        "no_result": files_that("no result"), "entries_hit": total("entries_hit"),
        "stock_seconds": round(sum(record["stock_seconds"] for record in timed), 1),
        "launcher_seconds": round(sum(record["launcher_seconds"] for record in timed), 1),
        "commits": sorted({record["commit"] for record in own}),
        "first": min(record["date"] for record in own)[:10], "last": max(record["date"] for record in own)[:10]}


HEAD = """# Compatibility with other packages

Written by `tests/ecosystem/ecosystem.py` from `docs/compatibility.json`, which is its report; change neither by hand.

Other packages' own tests run under `python3` and under `dynacc-python` with `{setting}`: every frame is
captured at its first call. NumPy is {numpy}. The two outcomes of each test must be equal. Those that do not
pass under either are equal, too, but say little. [contributing.md](contributing.md) says how to run them.

"""

LEGEND = """
- *Files*: the test files that have a result, of all that the suite has. Each runs in a process of its own.
- *Equal*: the launcher's outcome is python3's, down to the kind of exception, skip or expected failure.
- *Left out*: python3 itself ends such a test in two ways.
- *Unfinished*: the launcher's time was over before the test had an outcome. What was done by then is compared.
  python3's limit for a file, and the launcher's in times of what python3 took (30 s at least): {limits}. `always`
  traces also what runs once, so pure Python that recurses takes many times python3's time; the launcher's own policy
  leaves such code alone.
- *Time*: the launcher's seconds of the processor divided by python3's, over the files that finished. The start of each
  process is included.
- *Segments run*: how often compiled code ran. A file in which nothing was captured counts as not run.
"""


def ratio(row):
    return f"{row['launcher_seconds'] / row['stock_seconds']:.1f}" if row["stock_seconds"] else ""


def table(titles, lines):
    rows_of_text = ["| " + " | ".join(map(str, line)) + " |" for line in [titles, ["---"] * len(titles), *lines]]
    return "\n".join(rows_of_text) + "\n"


def suite_line(row):
    days = row["first"] if row["first"] == row["last"] else f"{row['first']} to {row['last']}"
    return [row["suite"], row["version"], f"{row['files_run']} of {row['files']}", row["tests"], row["same"], row["passed"],
            len(row["differing"]) + len(row["crashed"]), row["left_out"], row["unfinished"], ratio(row),
            row["entries_hit"], ", ".join(row["commits"]), days]


def section(title, text, lines):
    return [f"## {title}\n\n{text}\n\n" + "\n".join(f"- {line}" for line in lines) + "\n"] if lines else []


def shortened(row, name):
    """One line on the files of a suite that `name` lists."""
    listed = row[name]
    more = [f"and {len(listed) - SHOWN_NAMES} more"] if len(listed) > SHOWN_NAMES else []
    return [f"{row['suite']}: " + "; ".join([f"`{line}`" for line in listed[:SHOWN_NAMES]] + more)] if listed else []


def page(made):
    """The text of docs/compatibility.md for a report."""
    suites = made["suites"]
    titles = ["suite", "version", "files", "tests", "equal", "of these passed", "different", "left out", "unfinished", "time",
              "segments run", "commit", "date"]
    names = ("tests", "same", "passed", "left_out", "unfinished", "entries_hit")
    sums = {name: sum(row[name] for row in suites) for name in names}
    different = sum(len(row["differing"]) + len(row["crashed"]) for row in suites)
    files = f"{sum(row['files_run'] for row in suites)} of {sum(row['files'] for row in suites)}"
    last = ["all", "", files, sums["tests"], sums["same"], sums["passed"], different, sums["left_out"], sums["unfinished"], "",
            sums["entries_hit"], "", ""]
    differing = [f"`{name}`: {stock} under python3, {ours} under the launcher: {why or 'no reason is known'}"
                 for row in suites for _, name, stock, ours, why in row["differing"]]
    differing += [f"`{line}` (crash)" for row in suites for line in row["crashed"]]
    limits = "; ".join(f"{timeout:g} s and {factor:g} times" for timeout, factor in made["limits"])
    parts = [HEAD.format(**made) + table(titles, [*map(suite_line, suites), last]) + LEGEND.format(limits=limits)]
    parts += section("Differences", "Each test that does not end as under python3:", differing)
    parts += section("Files that did not finish", "The launcher's time was over:",
                     [line for row in suites for line in shortened(row, "not_finished")])
    parts += section("Files without a result", "python3 itself gave none in its time, or the file has no tests here:",
                     [line for row in suites for line in shortened(row, "no_result")])
    parts += section("Files in which nothing was captured", "The comparison says nothing:",
                     [line for row in suites for line in shortened(row, "nothing_captured")])
    return "\n".join(parts)
