"""dynacc.explain of a whole program."""
from dynacc._explanation import Explanation
from dynacc._recording import is_worth_showing, record


class ScriptExplanation:
    """What DynaCC made of the functions of a program; print it, or show it in a notebook.

    functions   a dynacc.Explanation (without a result) for each function that has graphs or breaks
    status      the program's exit status, or minus the number of the signal that ended it
    """

    def __init__(self, recording):
        self.program, self.status = recording.program, recording.status
        codes = recording.codes()
        self.functions = [Explanation(None, each, codes.get((each["file"], each["name"], each["line"])))
                          for each in recording.functions or () if is_worth_showing(each)]
        self._outcome = recording.outcome() if recording.functions is not None else \
            f"{recording.outcome()} before it could tell what was captured"

    def __str__(self):
        number = len(self.functions)
        found = "1 function has" if number == 1 else f"{number} functions have"
        head = f"{self.program} {self._outcome}; {found} graphs or breaks"
        return "\n\n".join([head, *map(str, self.functions)])

    def __repr__(self):
        return f"<dynacc.ScriptExplanation of {self.program}>"

    def _repr_pretty_(self, printer, cycle):
        """What IPython shows in a terminal."""
        printer.text(str(self))

    def _repr_html_(self):
        """What notebooks show."""
        import html
        from dynacc._explanation_page import fragment
        return "".join([f"<p>{html.escape(f'{self.program} {self._outcome}')}</p>",
                        *(f"<h4>{html.escape(each.name)}</h4>{fragment(each)}" for each in self.functions)])


def explain_script(program):
    """Runs a program with all its array code captured; a ScriptExplanation."""
    return ScriptExplanation(record(program, DYNACC_POLICY="always"))
