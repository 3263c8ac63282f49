"""What stands between dynacc.compile(backend=function) and the compiler (frontend/capture/python_backend.h)."""
from dynacc.graphs import CapturedGraph


def asked(backend):
    """The callable that the compiler asks about a graph's text and label: it gives (target, text, run)."""
    import _dynacc

    def ask(text, label):
        answer = backend(CapturedGraph(text, label))
        if answer is None:
            return "", "", None
        if isinstance(answer, CapturedGraph):
            return "", answer.text, None
        from dynacc.graph import Graph
        if isinstance(answer, Graph):
            return "", str(answer), None
        if isinstance(answer, str):
            _dynacc.check_target(answer)  # a GPU that is not there
            return answer, "", None
        if callable(answer):
            return "", "", answer
        raise TypeError("dynacc.compile: a backend returns None, the name of a target, a graph or a function, "
                        f"not {answer!r}")

    return ask
