"""Differential fuzzing: random NumPy programs under stock Python and under DynaCC must print the same.

    fuzz.py DYNACC_PYTHON [--first SEED] [--programs N] [--seconds S] [--keep FOLDER] [NAME=VALUE ...]

Each NAME=VALUE is put into DynaCC's environment; "A=1 B=2,A=2" tries two environments. A program that
differs is printed with its seed and its first differing lines, and reduced (--reduce-seconds): what is left is
a small program that still differs.
"""
import argparse
import ast
import os
import subprocess
import sys
import tempfile
import time

import program

HERE = os.path.dirname(os.path.abspath(__file__))
STOCK = sys.executable
BATCH = 100
BATCH_SECONDS = 240


def output_of(python, files, environment):
    """The printed text of each program by name, and what ended the process."""
    try:
        done = subprocess.run([python, os.path.join(HERE, "observe.py"), *files], text=True,
                              capture_output=True, errors="replace", timeout=BATCH_SECONDS,
                              env={**os.environ, **environment}, check=False)
        text, status = done.stdout, done.returncode
        if done.stderr and status == 0:
            status = "stderr: " + done.stderr[-2000:]
    except subprocess.TimeoutExpired as error:
        text, status = (error.stdout or b"").decode(errors="replace"), "timeout"
    parts = {}
    for part in text.split("=== ")[1:]:
        name, _, body = part.partition("\n")
        parts[name] = body
    return parts, status


def write(folder, seed, text):
    path = os.path.join(folder, f"{seed}.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def differs(dynacc, folder, text, environment):
    path = write(folder, "reduced", text)
    stock, stock_status = output_of(STOCK, [path], {})
    ours, status = output_of(dynacc, [path], environment)
    return stock_status == 0 and (stock, stock_status) != (ours, status)


def fails_alone(dynacc, folder, text, environment, attempts=1):
    return any(differs(dynacc, folder, text, environment) for _ in range(attempts))


# Where objects lie. Of two NaNs of unlike signs NumPy's + returns the one or the other, as an array's address is
# aligned, and its vector library's functions of an array that is read backwards take another loop where the result
# lies right below it.
PLACES = ({"PYTHONMALLOC": "malloc"}, {"OBSERVE_DESCENDING": "1"}, {"PYTHONMALLOC": "malloc", "OBSERVE_DESCENDING": "1"})


def is_settled(path, name, expected, ours):
    """Whether the two differ in a line that stock Python prints the same wherever its objects lie."""
    alone, status = output_of(STOCK, [path], {})
    if alone.get(name) != expected or status != 0:
        return False
    expected, ours = expected.splitlines(), ours.splitlines()
    others = [output_of(STOCK, [path], place)[0].get(name, "").splitlines() for place in PLACES]
    if any(len(lines) != len(expected) for lines in (ours, *others)):
        return all(len(lines) == len(expected) for lines in others)
    return any(line != here and all(other[number] == line for other in others)
               for number, (line, here) in enumerate(zip(expected, ours)))


def is_unspecialised(path, ours):
    """Whether stock Python prints `ours` when it runs its instructions as they are written: specialised, it names the line before
    for an unbound local that is read right after a store (docs/limits.md)."""
    return output_of(STOCK, [path], {"OBSERVE_TRACED": "1"}) == (ours, 0)


def simpler_lines(line):
    """The line with one sub-expression in place of a whole: brackets' contents, operands, an `if`'s body."""
    indent = line[:len(line) - len(line.lstrip())]
    try:
        tree = ast.parse(line.strip() + (" pass" if line.rstrip().endswith(":") else ""))
    except SyntaxError:
        return
    for node in ast.walk(tree):
        for field, old in ast.iter_fields(node):
            if not isinstance(old, ast.expr):
                continue
            for part in ast.iter_child_nodes(old):
                if isinstance(part, ast.expr):
                    setattr(node, field, part)
                    yield indent + ast.unparse(tree).removesuffix("\n    pass")
            setattr(node, field, old)


def reduce(dynacc, folder, text, environment, seconds):
    """Deletes lines, in chunks that get smaller, then parts of lines, while the difference stays."""
    end = time.monotonic() + seconds
    lines = delete_lines(dynacc, folder, text.splitlines(), environment, end)
    for number in range(len(lines)):
        shrunk = True
        while shrunk and time.monotonic() < end:
            shrunk = False
            for simpler in simpler_lines(lines[number]):
                candidate = lines[:number] + [simpler] + lines[number + 1:]
                if len(simpler) < len(lines[number]) and compiles(candidate) and differs(
                        dynacc, folder, "\n".join(candidate) + "\n", environment):
                    lines, shrunk = candidate, True
                    break
    return "\n".join(delete_lines(dynacc, folder, lines, environment, end)) + "\n"


def compiles(lines):
    try:
        compile("\n".join(lines), "candidate", "exec")
    except SyntaxError:
        return False
    return True


def delete_lines(dynacc, folder, lines, environment, end):
    size = max(1, len(lines) // 4)
    while size and time.monotonic() < end:
        start = 0
        shrunk = False
        while start < len(lines) and time.monotonic() < end:
            candidate = lines[:start] + lines[start + size:]
            if compiles(candidate) and differs(dynacc, folder, "\n".join(candidate) + "\n", environment):
                lines, shrunk = candidate, True
            else:
                start += size
        if not shrunk or size > 1:
            size //= 2
    return lines


def first_difference(stock, ours):
    stock, ours = stock.splitlines(), ours.splitlines()
    for number, (a, b) in enumerate(zip(stock + ["<end>"], ours + ["<end>"])):
        if a != b:
            return f"  line {number}\n  stock  {a}\n  dynacc {b}"
    return f"  {len(stock)} lines and {len(ours)}"


def report(options, folder, seed, text, environment, difference):
    print(f"DIFFERS seed {seed} {environment}\n{difference}", flush=True)
    if options.reduce_seconds:
        if fails_alone(options.dynacc, folder, text, environment):
            print(reduce(options.dynacc, folder, text, environment, options.reduce_seconds))
        else:
            print("  (not when run alone)")
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
        write(options.keep, seed, text)


def run_batch(options, folder, seeds, environments):
    """The number of programs that differ."""
    texts = {str(seed): program.generate(seed) for seed in seeds}
    files = {name: write(folder, name, text) for name, text in texts.items()}
    expected, stock_status = output_of(STOCK, list(files.values()), {})
    if stock_status != 0:
        print(f"stock python: {stock_status}; last program {list(expected)[-1:]}")
        if expected and not str(stock_status).startswith("stderr"):
            expected.popitem()  # it runs for ever, and may take all memory: how far it came says nothing
    failed = set()
    for environment in environments:
        waiting = [name for name in files if name in expected]
        while waiting:
            ours, status = output_of(options.dynacc, [files[n] for n in waiting], environment)
            seen = [name for name in waiting if name in ours]
            for name in seen:
                last = status != 0 and name == seen[-1]
                differs_here = (ours[name] != expected[name]
                                and is_settled(files[name], name, expected[name], ours[name])
                                and not is_unspecialised(files[name], {name: ours[name]}))
                if differs_here or (last and isinstance(status, int)):
                    difference = first_difference(expected[name], ours[name])
                    report(options, folder, name, texts[name], environment,
                           difference + (f"\n  ended with {status}" if last else ""))
                    failed.add(name)
            if isinstance(status, str) and status.startswith("stderr") and status != stock_status:
                print(f"{environment} {status}")
                failed.add("stderr")
            waiting = waiting[len(seen):] if seen else []
    return len(failed)


def parse_environment(text):
    return dict(setting.split("=", 1) for setting in text.split("+"))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dynacc")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--programs", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--reduce-seconds", type=float, default=0)
    parser.add_argument("--keep", default="")
    parser.add_argument("environments", nargs="*", default=["DYNACC_POLICY=always"],
                        help="NAME=VALUE+NAME=VALUE: one environment each")
    options = parser.parse_intermixed_args()
    environments = [parse_environment(text) for text in options.environments]
    end = time.monotonic() + options.seconds
    done = failed = 0
    turn = 0
    with tempfile.TemporaryDirectory() as folder:
        while done < options.programs and time.monotonic() < end:
            count = min(BATCH, options.programs - done)
            seeds = range(options.first + done, options.first + done + count)
            # Each batch in one of the environments, in turn.
            failed += run_batch(options, folder, seeds, [environments[turn % len(environments)]])
            turn += 1
            done += count
    print(f"{done} programs from seed {options.first}, {failed} differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
