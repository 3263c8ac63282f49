#!/usr/bin/env python3
"""dynacc.h has everything that the C++ headers have, and its test uses everything that it has.

program.h is a library of its own, all inline over program_c.h (program_host_test.py).

usage: c_abi_test.py SOURCE
"""
import pathlib
import re
import sys
import unittest

SOURCE = pathlib.Path()

# What each public name of the C++ headers is in C: functions, members of structs, enumerators.
IN_C = {
    "Runtime": {
        "Start": ["dynacc_runtime_start"], "~Runtime": ["dynacc_runtime_free"],
        "ImportModule": ["dynacc_import_module"], "LoadFile": ["dynacc_load_file"],
        "LoadSource": ["dynacc_load_source"], "WarmUp": ["dynacc_warm_up"], "SetLogs": ["dynacc_set_logs"],
        "SetTrace": ["dynacc_set_trace"],
        "MakeFunction": ["dynacc_make_function", "dynacc_make_keyword_function"],
        "RegisterOp": ["dynacc_register_op"], "Stats": ["dynacc_stat", "dynacc_stat_name"]},
    "RuntimeOptions": {
        "home": ["home"], "venv": ["venv"], "search_paths": ["search_paths", "search_path_count"],
        "arguments": ["arguments", "argument_count"], "isolated": ["isolated"],
        "handle_signals": ["handle_signals"], "policy": ["policy"], "target": ["target"],
        "devices": ["devices", "device_count"], "threads": ["threads"], "cache_folder": ["cache_folder"],
        "logs": ["logs"], "log_sink": ["log_sink", "log_context"],
        "most_calls": ["most_calls"], "executor": ["executor", "executor_context"]},
    "Executor": {"~Executor": ["executor_context"], "Run": ["executor"]},
    "Module": {"Get": ["dynacc_module_get"], "GetValue": ["dynacc_module_get_value"],
               "Set": ["dynacc_module_set"]},
    "Function": {
        "Call": ["dynacc_function_call"], "CallInto": ["dynacc_function_call_into"],
        "CallBatch": ["dynacc_function_call_batch", "dynacc_request"], "CallAsync": ["dynacc_function_call_async"],
        "Counters": ["dynacc_function_get_counters"], "Signature": ["dynacc_function_signature"],
        "Freeze": ["dynacc_function_freeze"]},
    "FunctionCounters": {"calls": ["calls"], "direct": ["direct"], "failures": ["failures"]},
    "Signature": dict.fromkeys(["text", "returns", "documentation", "parameters"], ["dynacc_function_signature"]),
    "Parameter": dict.fromkeys(["name", "kind", "annotation", "has_default", "default_value"],
                               ["dynacc_function_signature"]),
    "DynamicAxis": {"axis": ["argument", "axis"], "least": ["least"], "most": ["most"]},
    "FreezeOptions": {"keywords": ["keyword_names", "keyword_values", "keyword_count"],
                      "dynamic": ["dynacc_dynamic_axis", "dynamic_count"], "targets": ["targets", "target_count"],
                      "fast_math": ["fast_math"]},
    "CallOptions": {"keywords": ["keyword_names", "keyword_values", "keyword_count"],
                    "deadline": ["timeout_nanoseconds"], "cancellation": ["cancellation"]},
    "Cancellation": {"Cancellation": ["dynacc_cancellation_new"], "Cancel": ["dynacc_cancellation_cancel"],
                     "cancelled": ["dynacc_cancellation_cancelled"]},
    "PythonError": {"type": ["dynacc_status_python_type"], "message": ["dynacc_status_python_message"],
                    "traceback": ["dynacc_status_python_traceback"]},
    "TensorView": {
        "data": ["data"], "type": ["element"], "shape": ["shape", "rank"], "strides": ["strides"],
        "writable": ["read_only"], "device": ["device"], "Of": ["dynacc_value_array"]},
    "Tensor": {
        "Tensor": ["dynacc_value_array"], "Adopt": ["dynacc_value_array"], "data": ["dynacc_value_get_array"],
        "type": ["dynacc_value_get_array"], "shape": ["dynacc_value_get_array"],
        "strides": ["dynacc_value_get_array"], "writable": ["dynacc_value_get_array"],
        "device": ["dynacc_value_get_array"], "view": ["dynacc_value_get_array"]},
    "Value": {
        "Value": ["dynacc_value_none", "dynacc_value_bool", "dynacc_value_int", "dynacc_value_uint", "dynacc_value_float",
                  "dynacc_value_string", "dynacc_value_list", "dynacc_value_dict", "dynacc_value_array",
                  "dynacc_value_function", "dynacc_value_copy"],
        "Is": ["dynacc_value_kind"], "IsNone": ["dynacc_value_kind"],
        "As": ["dynacc_value_get_bool", "dynacc_value_get_int", "dynacc_value_get_uint", "dynacc_value_get_float",
               "dynacc_value_get_string", "dynacc_value_size", "dynacc_value_item", "dynacc_value_key"],
        "GetIf": ["dynacc_value_kind"], "tensor": ["dynacc_value_get_array"]},
    "Object": {},
}
FREE_FUNCTIONS = {"Version": ["dynacc_version"], "MakeThreadPool": ["executor"], "ElementSize": ["dynacc_element_size"],
                  "PythonErrorOf": ["dynacc_status_python_type", "dynacc_status_code", "dynacc_status_message"]}


def text_of(path):
    """A file of the source without its comments and preprocessor lines."""
    text = (SOURCE / path).read_text()
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
    return re.sub(r"^#.*$", "", text, flags=re.M)


def cpp_text():
    return "\n".join(text_of(path) for path in sorted((SOURCE / "embed/include/dynacc").glob("*.h"))
                     if path.name not in ("dynacc.h", "program.h", "program_c.h"))


def public_classes(text):
    """Name to the text of the public part of each class and struct."""
    found = {}
    for kind, name, body in re.findall(r"^(class|struct)(?: DYNACC_EXPORT)? (\w+) \{(.*?)^\};", text, re.S | re.M):
        public = body.split("private:")[0]
        found[name] = public if kind == "struct" else public.partition("public:")[2]
    return found


def members(name, body):
    """The methods and the data members that the text of a class declares."""
    body = re.sub(r"friend [^;]*;| = \{\}", "", body)
    while True:  # the bodies of functions and what initialises members
        shorter = re.sub(r"\{[^{}]*\}", ";", body)
        if shorter == body:
            break
        body = shorter
    names = set()
    for declaration in body.split(";"):
        declaration = re.sub(r"template <[^>]*>", "", " ".join(declaration.split()))
        declaration = re.sub(r"<[^()]*>|std::function<.*>", "", declaration)
        method = re.match(r"[^(=]*?(~?\w+)\(", declaration)
        data = re.match(r"[^(=]*?(\w+)(?: =.*)?$", declaration)
        if method:
            names.add(method.group(1))
        elif data:
            names.add(data.group(1))
    return names


class CAbi(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.c = text_of("embed/include/dynacc/dynacc.h")
        cls.cpp = cpp_text()
        cls.words = set(re.findall(r"\w+", cls.c))

    def test_every_public_name_of_cpp_is_in_c(self):
        classes = public_classes(self.cpp)
        self.assertEqual(set(classes), set(IN_C))
        for name, body in classes.items():
            with self.subTest(of=name):
                self.assertEqual(members(name, body), set(IN_C[name]))
        functions = set(re.findall(r"^DYNACC_EXPORT [^;(]*?(\w+)\(", self.cpp, re.M))
        self.assertEqual(functions, set(FREE_FUNCTIONS))

    def test_what_stands_for_it_is_there(self):
        for table in [*IN_C.values(), FREE_FUNCTIONS]:
            for names in table.values():
                self.assertLessEqual(set(names), self.words)

    def test_every_element_type_is_in_c(self):
        types = re.search(r"enum class ElementType : int32_t \{(.*?)\}", self.cpp, re.S).group(1)
        cpp = {name.upper(): number for name, number in re.findall(r"k(\w+) = (\d+)", types)}
        c = dict(re.findall(r"DYNACC_ELEMENT_(\w+) = (\d+)", self.c))
        self.assertGreater(len(c), 10)
        self.assertEqual(c, cpp)

    def test_the_test_in_c_uses_every_function(self):
        functions = set(re.findall(r"DYNACC_EXPORT [^;(]*?(\w+)\(", self.c))
        self.assertGreater(len(functions), 40)
        used = set(re.findall(r"\w+", text_of("tests/embed/host/c_api_test.c")))
        self.assertEqual(functions - used, set())

    def test_every_function_and_member_is_explained(self):
        """In each header a declaration has a comment: its own, or that of the group that it stands in."""
        for path in sorted((SOURCE / "embed/include/dynacc").glob("*.h")):
            lone = []
            for group in re.split(r"\n\s*\n", re.sub(r"^ private:.*?^\};", "", path.read_text(), flags=re.S | re.M)):
                declares = re.search(r"^\s*(?:static |DYNACC_EXPORT |absl::|struct |class )[\w:<>*& ]*\w+[({;]|^struct \w+ \{",
                                     group, re.M)
                forward = re.fullmatch(r"\s*(?:(?:class|typedef struct|struct) [\w ]+;\s*)+", group)
                if declares and not forward and "//" not in group and "/*" not in group:
                    lone.append(group)
            self.assertEqual(lone, [], path.name)


if __name__ == "__main__":
    SOURCE = pathlib.Path(sys.argv.pop(1))
    unittest.main()
