"""`python -m dynacc info`: what dynacc.info() says, with the NumPy that a program would get."""
import sys


def main(arguments):
    """Runs the command; its exit status."""
    if arguments != ["info"]:
        print("usage: python -m dynacc info        versions, machine, targets, cache folder, changed options\n"
              "       python -m dynacc.report PROGRAM [-o PAGE] [ARGUMENT ...]    a page that shows a run",
              file=sys.stderr)
        return 0 if arguments in (["-h"], ["--help"]) else 2
    try:
        import numpy  # noqa: F401
    except ImportError:
        pass
    import dynacc
    print(dynacc.info())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
