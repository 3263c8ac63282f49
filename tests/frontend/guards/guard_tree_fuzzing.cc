#include "tests/frontend/guards/guard_tree_fuzzing.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "frontend/guards/guard_tree.h"
#include "tests/frontend/guards/fake_arrays.h"

namespace dynacc::guards {
namespace {

// The world and its mutations. `frame` holds what the test puts into localsplus.
constexpr const char* kWorld = R"(
import random, types
NAMES = ['n0', 'n1', 'n2']
class Base: pass
class S:
    __slots__ = ('n0', 'n1')
class DictSub(dict): pass
class HostileStr(str):
    calls = 0
    def __hash__(self): return str.__hash__(self)
    def __eq__(self, other): HostileStr.calls += 1; return str.__eq__(self, other)
module = types.ModuleType('module')
big = 2 ** 70
other_globals = {'n0': 1}

def array(rng):
    return bytearray([65, rng.choice([9, 10]), rng.randrange(2)] +
                     [rng.randrange(1, 4) for _ in range(rng.randrange(3))])

def make_function(free):
    def f(p, q=1, *, n0=2): return free, n1
    return f

def value(rng, depth=0):
    plain = [lambda: rng.randrange(3), lambda: rng.choice([0.0, -0.0, 1.5, float('nan')]),
             lambda: rng.choice(['n0', 'text', ''.join(['te', 'xt'])]), lambda: None,
             lambda: rng.choice([True, False]), lambda: rng.choice([big, big + 1]),
             lambda: array(rng), lambda: bytearray([83, 10, rng.randrange(3)]),
             lambda: rng.choice([b'a', 1j, (1, 2.0)]), lambda: rng.choice(shared)]
    deep = [lambda: [value(rng, depth + 1) for _ in range(rng.randrange(3))],
            lambda: tuple(value(rng, depth + 1) for _ in range(rng.randrange(3))),
            lambda: {n: value(rng, depth + 1) for n in NAMES if rng.randrange(2)},
            lambda: fill(rng, rng.choice([A, B])(), depth), lambda: fill(rng, S(), depth),
            lambda: make_function(value(rng, depth + 1)),
            lambda: types.MethodType(make_function(1), fill(rng, A(), depth))]
    return rng.choice(plain if depth > 2 or rng.randrange(3) == 0 else deep)()

def fill(rng, o, depth):
    for n in NAMES:
        if rng.randrange(2) and (n != 'n2' or not isinstance(o, S)): setattr(o, n, value(rng, depth + 1))
    return o

def put(d, rng):
    n = rng.choice(NAMES)
    choice = rng.randrange(12)
    if choice < 6: d[n] = value(rng, 1)
    elif choice < 9: d.pop(n, None)
    elif choice == 9: d.update({'pad%d' % i: i for i in range(rng.randrange(60))})
    elif choice == 10:
        for k in [k for k in d if isinstance(k, str) and k.startswith('pad')]: del d[k]
    elif type(d) is dict and d is not globals():
        if rng.randrange(2): d[rng.choice([1, None, HostileStr('n1')])] = 1
        else: d.clear()

def mutate_object(rng, o):
    n = rng.choice(NAMES)
    if isinstance(o, S):
        n = rng.choice(['n0', 'n1'])
        setattr(o, n, value(rng, 1)) if rng.randrange(2) or not hasattr(o, n) else delattr(o, n)
    elif isinstance(o, Base):
        choice = rng.randrange(8)
        if choice < 3: setattr(o, n, value(rng, 1))
        elif choice == 3 and n in o.__dict__: delattr(o, n)
        elif choice == 4: o.__class__ = rng.choice([A, B])
        elif choice == 5: o.__dict__ = dict(o.__dict__)
        elif choice == 6: o.__dict__ = DictSub(o.__dict__)
        else: put(o.__dict__, rng)
    elif type(o) is list:
        choice = rng.randrange(4)
        if choice == 0: o.append(value(rng, 1))
        elif choice == 1 and o: o.pop()
        elif choice == 2 and o: o[rng.randrange(len(o))] = value(rng, 1)
        else: o.reverse()
    elif type(o) is dict: put(o, rng)
    elif type(o) is bytearray and o[0] == 65:
        o[1:] = array(rng)[1:]
    elif isinstance(o, types.FunctionType):
        choice = rng.randrange(5)
        if choice == 0: o.__defaults__ = rng.choice([None, (1,), (value(rng, 1),)])
        elif choice == 1: o.__kwdefaults__ = rng.choice([None, {'n0': value(rng, 1)}])
        elif choice == 2: o.__code__ = make_function(1).__code__.replace(co_name='g')
        elif choice == 3: o.__closure__[0].cell_contents = value(rng, 1)
        elif o.__closure__:
            try: del o.__closure__[0].cell_contents
            except ValueError: pass

def children(o):
    if isinstance(o, Base): return list(vars(o).values())
    if isinstance(o, S): return [getattr(o, n) for n in S.__slots__ if hasattr(o, n)]
    if type(o) in (list, tuple): return list(o)
    if type(o) is dict: return list(o.values())
    if isinstance(o, types.MethodType): return [o.__self__, o.__func__]
    return []

def look_up():
    """Has CPython give classes versions."""
    for cls in A, B, Base: getattr(cls, 'c0', None)

def mutate(rng):
    if rng.randrange(4): change(rng)
    if rng.randrange(2): look_up()

def change(rng):
    choice = rng.randrange(10)
    if choice == 0: frame[rng.randrange(len(frame))] = value(rng)
    elif choice == 1: put(rng.choice([globals(), module.__dict__, other_globals]), rng)
    elif choice == 2: setattr(rng.choice([A, B, Base]), 'c%d' % rng.randrange(2), value(rng, 3))
    elif choice == 3:
        cls = rng.choice([A, B, Base])
        for n in [n for n in vars(cls) if n in ('c0', 'c1')]: delattr(cls, n)
    else:
        o = rng.choice(frame + shared)
        for _ in range(rng.randrange(4)):
            below = children(o)
            if below: o = rng.choice(below)
        mutate_object(rng, o)

shared = [1]
def start(seed):
    global shared, frame, rng, A, B
    rng = random.Random(seed)
    class A(Base): pass  # anew: what names their instances have is not known yet
    class B(Base): pass
    shared = [[1], {'n0': 1}, A(), B(), make_function([1])]
    frame = [value(rng) for _ in range(4)] + [rng.choice(shared)]
)";

using Rng = std::mt19937_64;

int64_t Pick(Rng& rng, int64_t below) { return static_cast<int64_t>(rng() % below); }

// --- The oracle: the same questions, asked through the public API --------------------------------

// PyObject_GetAttrString without the exception; null if there is no such attribute.
Ref Attribute(BorrowedRef object, const char* name) {
  Ref value = Ref::Steal(PyObject_GetAttrString(object, name));
  PyErr_Clear();
  return value;
}

Ref Item(BorrowedRef object, int64_t index) {
  Ref value = Ref::Steal(PySequence_GetItem(object, index));
  PyErr_Clear();
  return value;
}

Ref Entry(BorrowedRef dict, BorrowedRef name) {
  Ref value = dict == nullptr || !PyDict_Check(dict)
                  ? Ref()
                  : Ref::New(PyDict_GetItemWithError(dict, name));
  PyErr_Clear();
  return value;
}

Ref CellContent(BorrowedRef cell) {
  return cell == nullptr || !PyCell_Check(cell) ? Ref() : Attribute(cell, "cell_contents");
}

using Oracle = Ref (*)(const sources::Source&, BorrowedRef parent, const sources::SourceRoots&);

using Oracles = std::map<sources::SourceKind, Oracle>;

// Kinds that the walk below makes, by what the parent is. The parent is of a fitting type or null.
Oracles NameOracles() {
  return {
      {sources::SourceKind::kLocal,
       [](const sources::Source& s, BorrowedRef, const sources::SourceRoots& r) {
         return Ref::New(r.localsplus[s.index]);
       }},
      {sources::SourceKind::kGlobal,
       [](const sources::Source& s, BorrowedRef, const sources::SourceRoots& r) {
         return Entry(r.globals, s.name.get());
       }},
      {sources::SourceKind::kModuleAttr,
       [](const sources::Source& s, BorrowedRef p, const sources::SourceRoots&) {
         return PyModule_Check(p) ? Entry(PyModule_GetDict(p), s.name.get()) : Ref();
       }},
  };
}

Oracles ObjectOracles() {
  return {
      {sources::SourceKind::kInstanceAttr,
       [](const sources::Source& s, BorrowedRef p, const sources::SourceRoots&) {
         // The classes have no attribute of these names, so this is the instance's own.
         Ref value = Ref::Steal(PyObject_GenericGetAttr(p, s.name.get()));
         PyErr_Clear();
         const bool is_slot = value && PyObject_HasAttr((PyObject*)Py_TYPE(p), s.name.get()) == 1;
         return is_slot ? Ref() : value;
       }},
      {sources::SourceKind::kSlotAttr,
       [](const sources::Source& s, BorrowedRef p, const sources::SourceRoots&) {
         const Ref cls = Attribute((PyObject*)Py_TYPE(p), "__slots__");
         return cls ? Attribute(p, PyUnicode_AsUTF8(s.name.get())) : Ref();
       }},
      {sources::SourceKind::kTypeAttr,
       [](const sources::Source& s, BorrowedRef p, const sources::SourceRoots&) {
         const Ref mro = Attribute((PyObject*)Py_TYPE(p), "__mro__");
         for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(mro.get()); ++i) {
           auto* base = (PyTypeObject*)PyTuple_GET_ITEM(mro.get(), i);
           if (Ref value = Entry(base->tp_dict, s.name.get())) return value;
         }
         return Ref();
       }},
      {sources::SourceKind::kType,
       [](const sources::Source&, BorrowedRef p, const sources::SourceRoots&) {
         return Ref::New((PyObject*)Py_TYPE(p));
       }},
  };
}

Oracles ItemOracles() {
  return {
      {sources::SourceKind::kTupleItem,
       [](const sources::Source& s, BorrowedRef p, const sources::SourceRoots&) {
         return PyTuple_Check(p) ? Item(p, s.index) : Ref();
       }},
      {sources::SourceKind::kListItem,
       [](const sources::Source& s, BorrowedRef p, const sources::SourceRoots&) {
         return PyList_CheckExact(p) ? Item(p, s.index) : Ref();
       }},
      {sources::SourceKind::kDictItem,
       [](const sources::Source& s, BorrowedRef p, const sources::SourceRoots&) {
         return PyDict_CheckExact(p) ? Entry(p, s.name.get()) : Ref();
       }},
  };
}

Oracles FunctionOracles() {
  return {
      {sources::SourceKind::kFunctionClosure,
       [](const sources::Source& s, BorrowedRef p, const sources::SourceRoots&) {
         const Ref closure = PyFunction_Check(p) ? Attribute(p, "__closure__") : Ref();
         return closure && closure.get() != Py_None
                    ? CellContent(Item(closure.get(), s.index).get())
                    : Ref();
       }},
      {sources::SourceKind::kFunctionDefault,
       [](const sources::Source& s, BorrowedRef p, const sources::SourceRoots&) {
         const Ref defaults = PyFunction_Check(p) ? Attribute(p, "__defaults__") : Ref();
         return defaults && defaults.get() != Py_None ? Item(defaults.get(), s.index) : Ref();
       }},
      {sources::SourceKind::kFunctionKwDefault,
       [](const sources::Source& s, BorrowedRef p, const sources::SourceRoots&) {
         const Ref defaults = PyFunction_Check(p) ? Attribute(p, "__kwdefaults__") : Ref();
         return Entry(defaults.get(), s.name.get());
       }},
      {sources::SourceKind::kFunctionCode,
       [](const sources::Source&, BorrowedRef p, const sources::SourceRoots&) {
         return PyFunction_Check(p) ? Attribute(p, "__code__") : Ref();
       }},
  };
}

Oracles MethodOracles() {
  return {
      {sources::SourceKind::kMethodSelf,
       [](const sources::Source&, BorrowedRef p, const sources::SourceRoots&) {
         return PyMethod_Check(p) ? Attribute(p, "__self__") : Ref();
       }},
      {sources::SourceKind::kMethodFunction,
       [](const sources::Source&, BorrowedRef p, const sources::SourceRoots&) {
         return PyMethod_Check(p) ? Attribute(p, "__func__") : Ref();
       }},
  };
}

const Oracles& AllOracles() {
  static const Oracles all = [] {
    Oracles merged;
    for (Oracles group :
         {NameOracles(), ObjectOracles(), ItemOracles(), FunctionOracles(), MethodOracles()}) {
      merged.merge(group);
    }
    return merged;
  }();
  return all;
}

Ref Expect(const sources::Source& source, const sources::SourceRoots& roots) {
  Ref parent = source.parent == nullptr ? Ref() : Expect(*source.parent, roots);
  if (source.parent != nullptr && !parent) return Ref();
  return AllOracles().at(source.kind)(source, parent.get(), roots);
}

}  // namespace

// --- The rounds ----------------------------------------------------------------------------------

class GuardTreeFuzzing::World {
 public:
  World() : globals_(Ref::Steal(PyDict_New())) {
    RegisterArrayChecks(&kFakeArrayChecks);
    PyDict_SetItemString(globals(), "__builtins__", PyEval_GetBuiltins());
    Exec(kWorld);
    for (const char* name : {"n0", "n1", "n2", "c0"}) {
      names_.push_back(Ref::Steal(PyUnicode_InternFromString(name)));
    }
  }

  std::string RunRound(uint64_t seed) {
    rng_.seed(seed);
    loads_.clear();
    Exec("start(" + std::to_string(seed) + ")");
    sources::SourceTable table;
    GuardTree tree;
    std::vector<std::vector<Guard>> entries;
    for (int step = 0; step < 60; ++step) {
      const sources::SourceRoots roots = Roots();
      if (tree.num_entries() < 16 && Pick(rng_, 4) == 0) AddEntry(roots, table, tree, &entries);
      // Often enough, at times, for a read-set cache to be recorded before something changes.
      std::vector<BorrowedRef> slots(tree.num_slots(), nullptr);
      for (int64_t i = Pick(rng_, 80); i > 0; --i) tree.Match(roots, absl::MakeSpan(slots));
      for (int i = 0; i < 2; ++i) {
        const std::string difference = Compare(roots, tree, entries);
        if (!difference.empty()) return absl::StrCat("step ", step, ": ", difference);
      }
      if (Pick(rng_, 3) != 0) Exec("mutate(rng)");
    }
    return "";
  }

  int64_t hits() const { return hits_; }
  int64_t misses() const { return misses_; }

 private:
  BorrowedRef globals() const { return globals_.get(); }
  Ref Eval(const char* expression) const { return Run(expression, Py_eval_input); }
  void Exec(const std::string& statements) const { Run(statements, Py_file_input); }

  // The world's own programs do not raise.
  Ref Run(const std::string& code, int start) const {
    Ref result = Ref::Steal(PyRun_String(code.c_str(), start, globals(), globals()));
    if (result) return result;
    PyErr_Print();
    std::abort();
  }

  // The frame's locals as they are now, the second of them unbound at times.
  sources::SourceRoots Roots() {
    frame_ = Eval("frame");
    for (int i = 0; i < 5; ++i) locals_[i] = PyList_GET_ITEM(frame_.get(), i);
    if (Pick(rng_, 8) == 0) locals_[1] = nullptr;
    BorrowedRef globals_dict =
        Pick(rng_, 6) == 0 ? PyDict_GetItemString(globals(), "other_globals") : globals();
    return {locals_, 5, nullptr, globals_dict, PyEval_GetBuiltins()};
  }

  // A random path from the frame, through values as they are now or (often enough) are not.
  const sources::Source* RandomSource(const sources::SourceRoots& roots,
                                      sources::SourceTable& table) {
    const sources::Source* source = nullptr;
    if (Pick(rng_, 5) == 0) {
      source = table.Intern(sources::SourceKind::kGlobal, nullptr, 0, names_[Pick(rng_, 3)].get());
    } else {
      source = table.Intern(sources::SourceKind::kLocal, nullptr, Pick(rng_, 5), names_[0].get());
    }
    for (int64_t depth = Pick(rng_, 4); depth > 0; --depth) {
      const Ref value = Expect(*source, roots);
      if (!value) break;
      source = Below(value.get(), source, table);
    }
    return source;
  }

  const sources::Source* Below(BorrowedRef value, const sources::Source* parent,
                               sources::SourceTable& table) {
    const BorrowedRef name = names_[Pick(rng_, 3)].get();
    std::vector<sources::SourceKind> kinds = {sources::SourceKind::kType,
                                              sources::SourceKind::kTypeAttr};
    if (PyList_CheckExact(value)) kinds.assign(3, sources::SourceKind::kListItem);
    if (PyTuple_CheckExact(value)) kinds.assign(3, sources::SourceKind::kTupleItem);
    if (PyDict_CheckExact(value)) kinds.assign(3, sources::SourceKind::kDictItem);
    if (PyMethod_Check(value))
      kinds = {sources::SourceKind::kMethodSelf, sources::SourceKind::kMethodFunction};
    if (PyFunction_Check(value)) {
      kinds = {sources::SourceKind::kFunctionClosure, sources::SourceKind::kFunctionDefault,
               sources::SourceKind::kFunctionKwDefault, sources::SourceKind::kFunctionCode};
    }
    const bool is_slots = PyObject_IsInstance(value, PyDict_GetItemString(globals(), "S")) == 1;
    const bool is_base = PyObject_IsInstance(value, PyDict_GetItemString(globals(), "Base")) == 1;
    if (is_base)
      kinds = {sources::SourceKind::kInstanceAttr, sources::SourceKind::kInstanceAttr,
               sources::SourceKind::kTypeAttr, sources::SourceKind::kType};
    if (is_slots) kinds.assign(3, sources::SourceKind::kSlotAttr);
    const sources::SourceKind kind = kinds[Pick(rng_, static_cast<int64_t>(kinds.size()))];
    if (kind == sources::SourceKind::kSlotAttr) {
      const int64_t slot = Pick(rng_, 2);
      const int64_t offset = static_cast<int64_t>(sizeof(PyObject)) + 8 * slot;
      return table.Intern(kind, parent, offset, names_[slot].get());
    }
    if (kind == sources::SourceKind::kTypeAttr)
      return table.Intern(kind, parent, 0, names_[3].get());
    const bool by_name = kind == sources::SourceKind::kInstanceAttr ||
                         kind == sources::SourceKind::kDictItem ||
                         kind == sources::SourceKind::kFunctionKwDefault;
    const bool by_index =
        kind == sources::SourceKind::kListItem || kind == sources::SourceKind::kTupleItem;
    const int64_t index = by_index                                        ? Pick(rng_, 3)
                          : kind == sources::SourceKind::kFunctionDefault ? -1
                                                                          : 0;
    return table.Intern(kind, parent, index, by_name ? name : nullptr);
  }

  // Guards of every kind that could be made for `value` (null: absent), holding or not.
  std::vector<Guard> Candidates(const sources::Source* source, BorrowedRef value) {
    const auto number = [](auto n) { return static_cast<int64_t>(n); };
    if (value == nullptr) return {{GuardKind::kAbsent, source, Ref()}};
    PyTypeObject* type = Py_TYPE(value);
    _PyType_Lookup(type, names_[3].get());  // gives the type a version
    std::vector<Guard> guards = {
        {GuardKind::kIdentity, source, Ref::New(value)},
        {GuardKind::kTypeIs, source, Ref::New((PyObject*)type)},
        {GuardKind::kTypeVersion, source, Ref::New((PyObject*)type), number(type->tp_version_tag)},
        {GuardKind::kNotSame, source, Ref::New(Py_None)},
    };
    if (PyLong_CheckExact(value)) {
      guards.push_back({GuardKind::kIntEquals, source, Ref(), Pick(rng_, 3)});
      guards.push_back({GuardKind::kIntFits, source, Ref()});
    }
    if (PyFloat_CheckExact(value)) {
      guards.push_back({GuardKind::kFloatEquals, source, Ref::New(value)});
      guards.push_back({GuardKind::kFloatAny, source, Ref()});
    }
    if (PyUnicode_CheckExact(value)) {
      guards.push_back({GuardKind::kStrEquals, source, Ref::New(value)});
    }
    if (PyTuple_CheckExact(value)) {
      guards.push_back({GuardKind::kTupleLength, source, Ref(), PyTuple_GET_SIZE(value)});
    }
    if (PyList_CheckExact(value)) {
      guards.push_back({GuardKind::kListLength, source, Ref(), PyList_GET_SIZE(value)});
    }
    if (PyDict_CheckExact(value)) {
      guards.push_back({GuardKind::kDictLength, source, Ref(), PyDict_GET_SIZE(value)});
    }
    if (PyByteArray_CheckExact(value)) {
      guards.push_back({GuardKind::kArray, source, Ref(), Pick(rng_, 3), 9 + Pick(rng_, 2)});
      guards.push_back({GuardKind::kDimEquals, source, Ref(), Pick(rng_, 2), 1 + Pick(rng_, 3)});
      guards.push_back({GuardKind::kContiguous, source, Ref()});
      guards.push_back({GuardKind::kScalarClass, source, Ref(), Pick(rng_, 3)});
      guards.push_back({GuardKind::kNumpyScalar, source, Ref(), 0, 10});
    }
    guards.push_back({GuardKind::kConstantEquals, source, Ref::New(value)});
    return guards;
  }

  // An entry as a capture would make it: mostly of guards that hold now.
  void AddEntry(const sources::SourceRoots& roots, sources::SourceTable& table, GuardTree& tree,
                std::vector<std::vector<Guard>>* entries) {
    std::vector<Guard> guards;
    std::vector<const sources::Source*> loads;
    for (int64_t i = 1 + Pick(rng_, 5); i > 0; --i) {
      const sources::Source* source = RandomSource(roots, table);
      const Ref value = Expect(*source, roots);
      std::vector<Guard> candidates = Candidates(source, value.get());
      guards.push_back(candidates[Pick(rng_, static_cast<int64_t>(candidates.size()))]);
      if (Pick(rng_, 3) == 0) loads.push_back(source);
    }
    tree.AddEntry(guards, loads);
    entries->push_back(std::move(guards));
    loads_.push_back(std::move(loads));
  }

  // Compares the tree's answer with the oracle's, entry by entry and slot by slot; "" if they
  // agree.
  std::string Compare(const sources::SourceRoots& roots, const GuardTree& tree,
                      const std::vector<std::vector<Guard>>& entries) {
    std::vector<BorrowedRef> slots(tree.num_slots(), nullptr);
    const BorrowedRef calls = Eval("HostileStr.calls").get();
    const uint64_t match = tree.Match(roots, absl::MakeSpan(slots));
    if (Eval("HostileStr.calls").get() != calls) return "Python code ran";
    if (PyErr_Occurred()) return "an exception is set";
    for (size_t entry = 0; entry < entries.size(); ++entry) {
      const bool matched = (match >> entry & 1) != 0;
      const std::string difference =
          CompareEntry(roots, tree, static_cast<int>(entry), entries[entry], matched, slots);
      if (!difference.empty()) return difference;
      ++(matched ? hits_ : misses_);
    }
    return "";
  }

  std::string CompareEntry(const sources::SourceRoots& roots, const GuardTree& tree, int entry,
                           const std::vector<Guard>& guards, bool matched,
                           const std::vector<BorrowedRef>& slots) {
    bool expected = true;
    for (const Guard& guard : guards) {
      expected = expected && CheckGuard(guard, Expect(*guard.source, roots).get());
    }
    const std::string why = tree.ExplainMiss(entry, roots);
    const auto problem = [&](const char* what) {
      return absl::StrCat("entry ", entry, ": ", what, "; matched ", matched, ", expected ",
                          expected, ", explained as \"", why, "\"\n", tree.Describe(entry));
    };
    if (matched != why.empty()) return problem("the explanation disagrees with the walk");
    const bool unreadable = absl::StrContains(why, "only Python code could tell");
    if (matched != expected && !unreadable) return problem("the walk disagrees with the guards");
    for (const sources::Source* load : loads_[entry]) {
      if (matched && slots[tree.SlotOf(load)] != Expect(*load, roots).get()) {
        return problem("a slot has another value");
      }
    }
    return "";
  }

  const Ref globals_;
  Rng rng_;
  std::vector<Ref> names_;
  std::vector<std::vector<const sources::Source*>> loads_;
  FrameSlot locals_[5];
  Ref frame_;
  int64_t hits_ = 0;
  int64_t misses_ = 0;
};

GuardTreeFuzzing::GuardTreeFuzzing() : world_(std::make_unique<World>()) {}
GuardTreeFuzzing::~GuardTreeFuzzing() = default;
std::string GuardTreeFuzzing::RunRound(uint64_t seed) { return world_->RunRound(seed); }
int64_t GuardTreeFuzzing::hits() const { return world_->hits(); }
int64_t GuardTreeFuzzing::misses() const { return world_->misses(); }

void StartIsolatedPython() {
  PyConfig config;
  PyConfig_InitIsolatedConfig(&config);
  const PyStatus status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  if (!PyStatus_Exception(status)) return;
  std::fprintf(stderr, "Python does not start: %s\n", status.err_msg);
  std::abort();
}

}  // namespace dynacc::guards
