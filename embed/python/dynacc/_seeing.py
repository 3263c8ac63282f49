"""dynacc.info and dynacc.set_logs: what is known of this process, and what it tells while it runs."""
import sys

import _dynacc

from dynacc._compile import did_you_mean


class Info(dict):
    """What dynacc.info returns: a dict that prints as lines."""

    def __str__(self):
        rows = [(name.replace("_", " "), value) for name, value in self.items() if name not in ("options", "targets")]
        rows += [(f"target {name}", doc) for name, doc in self["targets"].items()]
        rows += [(name, value) for name, value in self["options"].items()] or [("options", "all at their defaults")]
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:{width}}  {' '.join(value) if isinstance(value, list) else value}"
                         for name, value in rows)


def info():
    """Versions, machine, target, cache folder and changed options of this process, as a dict; print it.

    "numpy" is the version in use (None where NumPy has not been imported), beside "numpy_built_for"; "options" has the
    variables whose values differ from their defaults.
    """
    facts = _dynacc.info()
    numpy = getattr(sys.modules.get("numpy"), "__version__", None)
    ordered = {}
    for name, value in facts.items():
        if name == "numpy_built_for":
            ordered["numpy"] = numpy
        ordered[name] = value
    return Info(ordered)


def set_logs(*topics):
    """Logs these topics on stderr from now on, and no others; without topics, nothing more is logged.

    It sets the option `logs` of dynacc.config.

    topics   names of topics, each perhaps with a + before it for more detail, as in DYNACC_LOGS:
             `dynacc.set_logs("breaks", "+graph")`. ValueError for a name that is none, and nothing changes.

    """
    names = [name for name, _ in _dynacc.log_topics()]
    for topic in topics:
        if not isinstance(topic, str):
            raise TypeError(f"dynacc.set_logs: a topic is a string, not {topic!r}")
        name = topic.removeprefix("+")
        if name not in names:
            raise ValueError(f"dynacc.set_logs: no topic is called {name!r}{did_you_mean(name, names)}")
    _dynacc.set_option("logs", ",".join(topics))


_TOPICS = "".join(f"    {name:14}{doc}\n" for name, doc in _dynacc.log_topics())
set_logs.__doc__ = f"{set_logs.__doc__ or ''}    The topics:\n\n{_TOPICS}"
