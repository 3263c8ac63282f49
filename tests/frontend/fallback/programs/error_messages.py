"""Each failing statement with its exception, message, notes and traceback lines."""
import builtins
import sys
import traceback
import types

CASES = '''
undefined_name
print(unbound); unbound = 1
del unbound2; unbound2 = 1
global_gone()
del missing_global
a, b = 1
a, b = [1]
a, b = [1, 2, 3]
a, b, *c = [1]
a, *b, c, d = [1, 2]
a, b = {1}
(1)()
None[0]
None[0] = 1
del None[0]
None.x = 1
None.x
del None.x
1 + "a"
"a" - 1
x = []; x += 1
x = 1; x @= 2
x = 2; x **= "a"
-"a"
~1.5
not Bad()
1 < "a"
1 in 2
1 in [Bad()]
[*1]
(*1,)
{*1}
{**1}
{**{"a": 1}, **[("b", 2)]}
f(*1)
f(**1)
f(**{"a": 1}, **{"a": 2})
f(**{1: 2})
f(a=1, **{"a": 2})
f(1, 2, 3)
f(b=1)
f()
len(1, 2)
len(x=1)
"".join(1)
"".no_method()
int("z", base=40)
for i in 1: pass
for i in Bad(): pass
with 1: pass
with EnterOnly(): pass
with Bad(): pass
f"{1:q}"
f"{Bad()}"
f"{Bad()!r}"
{[]: 1}
{[]}
{1: 2}[[]]
x = {}; x[[]] = 1
import not_there
import os.not_there
from os import not_there
from not_there import x
from types_without_file import thing
assert 0, "said so"
assert 1 == 2
raise ValueError("v") from KeyError("k")
raise 1
raise ValueError from 1
if Bad(): pass
while Bad(): pass
Bad() and 1
Bad() or 1
[x for x in Bad()]
[y / 0 for y in [1]]
(lambda: later)()
1 // 0
[1, 2][5]
(1, 2)["a"]
[1, 2]["a"]
"abc"[1.0]
slice(1)[0]
class C(1): pass
class C(metaclass=1): pass
@None
def g(): pass
def g(x: undefined_annotation): pass
def g(x=undefined_default): pass
'''


class Bad:
    def __bool__(self):
        raise RuntimeError("no truth")

    def __eq__(self, other):
        raise RuntimeError("no equality")

    def __iter__(self):
        raise RuntimeError("no iteration")

    def __format__(self, spec):
        raise RuntimeError("no format")

    def __repr__(self):
        raise RuntimeError("no repr")

    def __enter__(self):
        raise RuntimeError("no entry")

    def __exit__(self, *what):
        return True


class EnterOnly:
    def __enter__(self):
        pass


def f(a):
    return a


sys.modules["types_without_file"] = types.ModuleType("types_without_file")


def statements():
    lines = CASES.strip().split("\n")
    while lines:
        statement = lines.pop(0)
        while statement.startswith("@") and "\n" not in statement:
            statement += "\n" + lines.pop(0)
        yield statement


for statement in statements():
    body = "\n  ".join(statement.split("\n"))
    source = f"def case():\n  before = 1\n  {body}\n  return before\n"
    namespace = {"f": f, "Bad": Bad, "EnterOnly": EnterOnly, "__name__": "case"}
    if "global_gone" not in statement and "missing_global" in statement:
        source = "def case():\n  global missing_global\n  del missing_global\n"
    exec(compile(source, f"<{statement}>", "exec"), namespace)
    print("---", statement)
    try:
        print(repr(namespace["case"]()))
    except BaseException as error:
        print("".join(traceback.format_exception(error)))
        print(getattr(error, "name", None))

print("--- without builtins")
for name in ("__build_class__", "__import__"):
    kept = getattr(builtins, name)
    delattr(builtins, name)
    try:
        try:
            statement = "class C: pass" if "class" in name else "import sys"
            exec(f"def case():\n  {statement}\n")
            locals()["case"]()
        finally:
            setattr(builtins, name, kept)
    except BaseException as error:
        print(type(error).__name__, error)
