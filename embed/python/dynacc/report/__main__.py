"""`python -m dynacc.report PROGRAM [-o PAGE] [ARGUMENT ...]`: runs a program and writes the page of what happened."""
import argparse
import os
import sys

from dynacc._recording import record
from dynacc.report import page


def main(arguments):
    """Runs the program, its arguments those that are not this tool's; the program's exit status."""
    parser = argparse.ArgumentParser(prog="dynacc-python -m dynacc.report", description=__doc__.partition(": ")[2])
    parser.add_argument("program", help="the Python file to run")
    parser.add_argument("-o", "--output", default="report.html", help="the page to write (default: %(default)s)")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="of the program")
    chosen = parser.parse_args(arguments)
    program_arguments = list(chosen.arguments)
    if program_arguments[:1] in (["-o"], ["--output"]) and len(program_arguments) > 1:  # behind the program, too
        chosen.output = program_arguments[1]
        del program_arguments[:2]
    try:
        with open(chosen.output, "a", encoding="utf-8"):
            pass  # better known before the program has run
        recording = record(chosen.program, program_arguments)
    except OSError as error:
        print(f"dynacc.report: {error}", file=sys.stderr)
        return 2
    with open(chosen.output, "w", encoding="utf-8") as file:
        file.write(page(recording))
    print(f"dynacc.report: {os.path.abspath(chosen.output)}", file=sys.stderr)
    return recording.status if recording.status >= 0 else 128 - recording.status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
