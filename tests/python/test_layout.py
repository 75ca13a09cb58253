"""The package and the C headers agree: structs by a compiled program, functions by their text."""

import ctypes
import os
import re
import subprocess
import unittest

import made
from nln import _library, _structs
from nln._errors import Status, _classes

include = os.path.join(made.root, "include")
source = "".join(open(os.path.join(include, name)).read() for name in ("nln.h", "nln_lab.h"))
source = re.sub(r"/\*.*?\*/", "", source, flags=re.S)

# What a C type of an argument or result must be here.
scalars = {"size_t": ctypes.c_size_t, "int": ctypes.c_int, "double": ctypes.c_double,
           "uint64_t": ctypes.c_uint64, "nln_status": ctypes.c_int, "nln_split": ctypes.c_int,
           "nln_option_source": ctypes.c_int,
           "void": None, "nln_summary": _structs.Summary, "nln_paired": _structs.Paired,
           "nln_abilities": _structs.Abilities, "nln_literal": _structs.Literal}


def compiled(lines):
    """Prints of a C program as rows of words."""
    program, code = made.path("layout"), made.path("layout.c")
    with open(code, "w") as file:
        file.write('#include <stdio.h>\n#include "nln_lab.h"\nint main(void)\n{\n')
        file.write("".join(f"    {line}\n" for line in lines) + "    return 0;\n}\n")
    subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-I", include, code,
                    "-o", program], check=True)
    out = subprocess.run([program], check=True, text=True, stdout=subprocess.PIPE).stdout
    return [line.split() for line in out.splitlines()]


class Layout(unittest.TestCase):
    def test_structs(self):
        lines, wanted = [], []
        for name, kind in _structs.by_name.items():
            lines.append(f'printf("{name} - 0 %zu\\n", sizeof({name}));')
            wanted.append([name, "-", "0", str(ctypes.sizeof(kind))])
            for field, *_ in kind._fields_:
                lines.append(f'printf("{name} {field} %zu %zu\\n", offsetof({name}, {field}), '
                             f"sizeof((({name} *)0)->{field}));")
                at = getattr(kind, field)
                wanted.append([name, field, str(at.offset), str(at.size)])
        self.assertEqual(compiled(lines), wanted)

    def test_members(self):
        """No member of a struct is left out, even where padding would hide it."""
        for name, kind in _structs.by_name.items():
            body = re.search(r"typedef struct %s \{(.*?)\} %s;" % (name, name), source, re.S)[1]
            body = re.sub(r"\(\*(\w+)\)\([^)]*\)", r"\1", re.sub(r"\[\w+\]", "", body))
            members = re.findall(r"(\w+)\s*[,;]", body)
            self.assertEqual(members, [field for field, *_ in kind._fields_], name)

    def test_constants(self):
        statuses = [f'printf("%d {x.name}\\n", NLN_{x.name});' for x in Status]
        splits = [f'printf("%d\\n", NLN_{x});' for x in ("TRAIN", "VALID", "TEST")]
        types = [f'printf("%d\\n", NLN_OPTION_{x});' for x in
                 ("FLAG", "INT", "REAL", "CHOICE", "TEXT")]
        rows = compiled([*statuses, *splits, *types, 'printf("%d\\n", NLN_MOST_CUTS);'])
        numbers = [[str(int(x)), x.name] for x in Status]
        self.assertEqual(rows, numbers + [[x] for x in "012" + "01234"] + [["8"]])
        self.assertEqual(_structs.MOST_CUTS, 8)
        self.assertEqual(len(re.findall(r"^\s+X\([A-Z]+, \"", source, re.M)), len(Status))
        self.assertEqual(set(_classes), set(Status) - {Status.OK})

    def test_functions(self):
        found = re.findall(r"NLN_API\s+([^;(]*?)\b(nln_\w+)\(([^;]*)\);", source)
        self.assertGreater(len(found), 60)
        declared = {}
        for result, name, arguments in found:
            arguments = [] if arguments.strip() == "void" else arguments.split(",")
            declared[name] = [self.kind(result)] + [self.kind(x) for x in arguments]
        for name, (result, arguments) in _library.FUNCTIONS.items():
            with self.subTest(name):
                self.assertEqual([self.shape(x) for x in (result, *arguments)], declared[name])
        left = {x for x in declared if x not in _library.FUNCTIONS}
        self.assertEqual({x for x in left if not x.startswith("nln_bench_")},
                         {"nln_options_create_from", "nln_options_settle", "nln_options_source",
                          "nln_options_use"})

    def kind(self, text):
        if "*" in text or "[" in text:
            return "pointer"
        words = text.replace("const", "").split()
        return scalars[words[0]]

    def shape(self, kind):
        is_pointer = kind in (ctypes.c_void_p, ctypes.c_char_p) or hasattr(kind, "contents")
        return "pointer" if is_pointer else kind
