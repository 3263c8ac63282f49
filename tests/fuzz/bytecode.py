"""Random code objects that no compiler makes, as text for assembly.py.

The code is made of blocks. Each has a shape, the types of what lies on the stack when control comes
to it, so that values lie there across jumps; a block ends by making some later block's shape, and
goes there, or back a few times. Loops lie over and in one another as they fall. Then stretches that
begin and end anywhere get exception handlers, which keep any part of the stack, and go on in any
block.

A type is a letter: n number, a array, t tuple, l list, i iterator, o something.
"""

import collections

import assembly
from program import Program

PARAMETERS = "x y n m t l v w"
Block = collections.namedtuple("Block", "label shape loop after")

HEAD = """
import assembly
log = []
def double(v, by=2, plus=0):
    return v * by + plus
class Quiet:
    def __init__(self, name='q'):
        self.value = 3
    def __enter__(self):
        return self.value
    def __exit__(self, *error):
        log.append(str(error[0]))
        return False
q = Quiet()
""".strip().splitlines()

LOCALS = {"x": "a", "y": "a", "n": "n", "m": "n", "t": "t", "l": "l", "v": "o", "w": "o"}
CONSTANTS = {
    "n": ("1", "2", "0", "0.5", "-3", "1.5", "True", "7", "256", "1000", "inf", "nan", "2 ** 70"),
    "t": ("(1, 2)", "()", "(1, 2.5, 'a')", "('a',)"),
    "o": ("None", "'text'", "...", "b'a'", "(None, 1)", "False"),
}
FUNCTIONS = {
    "a": ("sqrt", "abs", "exp", "negative", "sort", "cumsum", "square", "isnan", "tanh", "copy"),
    "n": ("sum", "mean", "max", "size", "ndim"),
}
OPERATORS = ("+", "-", "*") * 4 + ("/", "//", "%", "**", "+=", "-=", "*=", "&", "<<")
ERRORS = ("ValueError", "TypeError", "Exception", "ArithmeticError", "IndexError")


class BytecodeProgram(Program):
    def __init__(self, seed):
        super().__init__(seed)
        self.big = False
        self.stack = []
        self.code = []
        self.line = 1

    # Single instructions; each keeps self.stack, the types of what lies on the stack.

    def op(self, text):
        if text.startswith("CALL ") and self.code[-1].startswith("KW_NAMES"):
            self.code.append(text)
            return
        if self.chance(0.12):
            self.line = max(1, self.line + self.pick((1, 1, 1, 2, -1, -2, 40)))
            self.code.append(f"line {self.line}")
        if self.chance(0.04):
            self.code.append("NOP")
        wide = self.chance(0.05) and not text.startswith(("CALL ", "BACK", "KW_NAMES"))
        self.code.append("wide " + text if wide else text)

    def push(self, kind):
        """Puts a value of a type on the stack."""
        named = [name for name, of in LOCALS.items() if of == kind or kind == "o"]
        if kind == "i":
            self.push(self.pick("atl"))
            self.op("GET_ITER")
            self.stack[-1] = "i"
            return
        if kind in CONSTANTS and self.chance(0.4):
            self.op(f"LOAD_CONST {self.pick(CONSTANTS[kind])}")
        else:
            self.op(f"LOAD_FAST {self.pick(named)}")
        self.stack.append(kind)

    def raised(self, *kinds):
        """Brings values of these types to the top: what lies there, what is copied or swapped
        there, or new ones."""
        if self.stack[len(self.stack) - len(kinds) :] == list(kinds) and self.chance(0.8):
            return
        for kind in kinds:
            depths = [d for d in range(1, min(len(self.stack), 7) + 1) if self.stack[-d] == kind]
            if depths and kind != "i" and self.chance(0.5):
                depth = self.pick(depths)
                self.op(f"COPY {depth}")
                self.stack.append(kind)
            else:
                self.push(kind)

    def take(self, count, *made):
        del self.stack[len(self.stack) - count :]
        self.stack += made

    # Statements: a few instructions each.

    def arithmetic(self):
        left, right = self.pick(
            ("nn", "an", "na", "aa", "aa", "an", "nn", "na", "an", "aa", "nn", "oo")
        )
        operator = self.pick(OPERATORS if left + right != "oo" else ("+", "-", "+="))
        if operator in (
            "**",
            "<<",
        ):  # of a small number, or rounds of it make numbers that take for ever
            self.raised(left)
            self.op(f"LOAD_CONST {self.pick('23')}")
            self.stack.append("n")
            right = "n"
        else:
            self.raised(left, right)
            if self.chance(0.2):
                self.op("SWAP 2")
        self.op(f"BINARY_OP {operator}")
        self.take(2, "a" if "a" in left + right else left)

    def compare(self):
        left, right = self.pick(("nn", "an", "nn", "oo"))
        self.raised(left, right)
        self.op(
            self.pick(
                (
                    "COMPARE_OP <",
                    "COMPARE_OP >=",
                    "COMPARE_OP ==",
                    "COMPARE_OP !=",
                    "IS_OP 0",
                    "IS_OP 1",
                )
            )
        )
        self.take(2, "a" if left == "a" else "n")

    def unary(self):
        kind = self.pick("nna")
        self.raised(kind)
        self.op(
            self.pick(
                ("UNARY_NEGATIVE", "UNARY_POSITIVE") + (("UNARY_NOT",) if kind == "n" else ())
            )
        )

    def shuffle(self):
        """Copies and swaps that a compiler would not write."""
        for _ in range(self.random.randint(1, 4)):
            count = len(self.stack)
            if count >= 2 and self.chance(0.6):
                depth = self.random.randint(2, min(count, 5))
                self.op(f"SWAP {depth}")
                self.stack[-1], self.stack[-depth] = self.stack[-depth], self.stack[-1]
            elif count and count < 9 and self.chance(0.6):
                depth = self.random.randint(1, min(count, 5))
                if self.stack[-depth] != "i":
                    self.op(f"COPY {depth}")
                    self.stack.append(self.stack[-depth])
            elif count and self.stack[-1] != "i":
                self.op("POP_TOP")
                self.stack.pop()

    def store(self):
        kind = self.pick("naaonl")
        self.raised(kind)
        self.op(
            f"STORE_FAST {self.pick([name for name, of in LOCALS.items() if of in (kind, 'o')])}"
        )
        self.stack.pop()

    def item(self):
        kind = self.pick("atl")
        self.raised(kind)
        self.op(self.pick(("LOAD_CONST 0", "LOAD_CONST -1", "LOAD_CONST 1")))
        self.op("BINARY_SUBSCR")
        self.take(1, "n")

    def slice(self):
        self.raised("a")
        self.op("LOAD_CONST " + self.pick(("None", "1", "0")))
        self.op("LOAD_CONST " + self.pick(("None", "-1", "2")))
        if self.chance(0.5):
            self.op("BUILD_SLICE 2")
        else:
            self.op("LOAD_CONST " + self.pick(("None", "2", "-1")))
            self.op("BUILD_SLICE 3")
        self.op("BINARY_SUBSCR")

    def store_item(self):
        self.raised("n", "a")
        self.op(self.pick(("LOAD_CONST 0", "LOAD_CONST -1", "LOAD_CONST ...", "LOAD_FAST n")))
        self.op("STORE_SUBSCR")
        self.take(2)

    def call(self):
        """A call in any of the shapes that CPython takes."""
        form = self.random.randrange(5)
        kind = self.pick("an")
        name = self.pick(FUNCTIONS[kind])
        if form == 0:
            self.op("LOAD_GLOBAL np")
            self.op(f"LOAD_METHOD {name}")
            self.push("a")
            self.op("CALL 1")
            self.take(1, kind)
        elif form == 1:
            self.raised("a")
            self.op(f"LOAD_METHOD {self.pick(('sum', 'max', 'mean', 'copy', 'ravel'))}")
            self.op("CALL 0")
            self.take(1, "o")
        elif form == 2:  # NULL, function, arguments, some by name
            self.op("LOAD_GLOBAL NULL+double")
            self.push(kind)
            self.push("n")
            names = self.pick(("", "('by',)", "('plus',)"))
            if names:
                self.op(f"KW_NAMES {names}")
            self.op("CALL 2")
            self.take(2, kind)
        elif form == 3:  # the function's first argument in the place where a method has its object
            self.op("LOAD_GLOBAL double")
            self.push(kind)
            self.push("n")
            self.push("n")
            if self.chance(0.5):
                self.op("KW_NAMES " + self.pick(("('plus', 'by')", "('by', 'plus')")))
            self.op("CALL 2")
            self.take(3, kind)
        else:
            self.op("PUSH_NULL")
            self.op("LOAD_GLOBAL double")
            self.push(kind)
            self.op("BUILD_TUPLE 1")
            if self.chance(0.5):
                self.op("LOAD_CONST 'by'")
                self.op("LOAD_CONST 3")
                self.op("BUILD_MAP 1")
                self.op("CALL_FUNCTION_EX 1")
            else:
                self.op("CALL_FUNCTION_EX 0")
            self.take(1, kind)

    def attribute(self):
        self.raised("a")
        self.op(f"LOAD_ATTR {self.pick(('T', 'shape', 'size', 'ndim', 'dtype', 'real'))}")
        self.take(1, "o")

    def gather(self):
        count = self.random.randint(0, min(3, len(self.stack)))
        if "i" in self.stack[len(self.stack) - count :]:
            return
        kind = self.pick(("TUPLE", "LIST"))
        self.op(f"BUILD_{kind} {count}")
        self.take(count, kind[0].lower())
        if kind == "LIST" and self.chance(0.5):
            self.push("n")
            self.op("LIST_APPEND 1")
            self.stack.pop()
            if self.chance(0.4):
                self.op("LIST_TO_TUPLE")
                self.stack[-1] = "t"

    def spread(self):
        if self.chance(0.5):
            self.push("n")
            self.push("a")
            self.op("BUILD_TUPLE 2")
            self.op("UNPACK_SEQUENCE 2")
            self.stack[-2:] = "an"
        else:
            self.raised(self.pick("tl"))
            self.op(f"UNPACK_EX {self.pick((0, 1, 256, 257))}")
            counted = int(self.code[-1].split()[-1])
            self.take(1, *["o"] * (counted >> 8), "l", *["o"] * (counted & 255))

    def raising(self):
        """An exception, if n is not zero: by an operator, or by a raise that a jump may go past."""
        if self.chance(0.5):
            self.op("LOAD_CONST 1")
            self.op("LOAD_CONST 0")
            self.op("BINARY_OP //")
            self.op("POP_TOP")
        else:
            label = self.fresh("past")
            self.op("LOAD_FAST n")
            self.op(f"POP_JUMP_FORWARD_IF_{self.pick(('TRUE', 'FALSE'))} {label}")
            self.op(f"LOAD_GLOBAL {self.pick(ERRORS)}")
            self.op("RAISE_VARARGS 1")
            self.code.append(f"{label}:")

    def managed(self):
        """A `with` that ends as it may, without its handler."""
        self.op("LOAD_GLOBAL q")
        self.op("BEFORE_WITH")
        self.stack += "on"
        if self.chance(0.5):
            self.op("SWAP 2")
            self.stack[-2:] = "no"
            for _ in range(3):
                self.op("LOAD_CONST None")
            self.stack.pop()
            self.op("CALL 2")
            self.stack.append("o")

    def statement(self):
        kinds = (
            (self.arithmetic, 5),
            (self.compare, 1.5),
            (self.unary, 1),
            (self.shuffle, 3),
            (self.store, 3),
            (self.item, 1),
            (self.slice, 1),
            (self.store_item, 0.8),
            (self.call, 2.5),
            (self.attribute, 0.5),
            (self.gather, 1),
            (self.spread, 0.8),
            (self.raising, 0.15),
            (self.managed, 0.2),
        )
        self.random.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])[0]()

    # Blocks.

    def shaped(self, shape):
        """Makes the stack what a block wants: what agrees stays, the rest goes, what lacks
        comes."""
        agreed = 0
        while agreed < min(len(shape), len(self.stack)) and self.stack[agreed] == shape[agreed]:
            agreed += 1
        while len(self.stack) > agreed:
            self.op("POP_TOP")
            self.stack.pop()
        for kind in shape[agreed:]:
            self.push(kind)

    def draw_blocks(self):
        count = self.random.randint(3, 8)
        blocks = []
        for number in range(count):
            shape = [self.pick("naotl") for _ in range(self.pick((0, 0, 1, 1, 2, 3)))]
            if number and self.chance(0.35):
                shape = list(blocks[-1].shape)
            blocks.append(
                Block(f"b{number}", shape, self.chance(0.3) and 0 < number < count - 1, None)
            )
        return blocks

    def finish(self, blocks, at):
        """The end of a block: on to the next one, or by a jump to another, or back."""
        later = blocks[at + 1 :]
        if self.chance(0.3) and at:
            back = self.pick(blocks[: at + 1])
            self.shaped(back.shape)
            self.code.append(f"BACK {back.label}")
            self.stack = list(back.shape)
        if self.chance(0.35):
            target = self.pick(later)
            self.shaped(target.shape)
            self.conditional(target)
            self.stack = list(target.shape)
        if self.chance(0.15):
            target = self.pick(later)
            self.shaped(target.shape)
            self.op(f"JUMP_FORWARD {target.label}")
            self.stack = list(target.shape)
            if target is not later[0]:
                self.stack = list(later[0].shape)
                return
        self.shaped(later[0].shape)

    def conditional(self, target):
        form = self.random.randrange(4)
        if form == 0 and target.shape and target.shape[-1] == "n":
            self.op(f"{self.pick(('JUMP_IF_TRUE_OR_POP', 'JUMP_IF_FALSE_OR_POP'))} {target.label}")
            self.push("n")
            return
        if form == 1:
            self.push("o")
            self.op(f"POP_JUMP_FORWARD_IF_{self.pick(('NONE', 'NOT_NONE'))} {target.label}")
        else:
            self.push("n")
            if form == 2:
                self.op("LOAD_CONST 1")
                self.op(f"COMPARE_OP {self.pick(('<', '>', '=='))}")
            self.op(f"POP_JUMP_FORWARD_IF_{self.pick(('TRUE', 'FALSE'))} {target.label}")
        self.stack.pop()

    def block(self, blocks, at):
        one = blocks[at]
        self.stack = list(one.shape)
        self.code.append(f"{one.label}:")
        if one.loop:
            # A loop within the block: an iterator above whatever lies on the stack, and items above
            # that.
            shape = list(self.stack)
            self.push("i")
            self.code.append(f"{one.label}_loop:")
            self.op(f"FOR_ITER {one.label}_end")
            self.stack.append("n")
            for _ in range(self.random.randint(1, 3)):
                self.statement()
            if self.stack[: len(shape) + 1] == [*shape, "i"]:
                self.shaped([*shape, "i"])
                self.op(f"JUMP_BACKWARD {one.label}_loop")
            else:  # its iterator is elsewhere by now
                self.shaped(shape)
                self.op(f"JUMP_FORWARD {one.label}_end")
            self.code.append(f"{one.label}_end:")
            self.stack = shape
        for _ in range(self.random.randint(1, 5)):
            self.statement()
        if at + 1 < len(blocks):
            self.finish(blocks, at)

    def returning(self):
        count = len(self.stack)
        self.op(f"BUILD_TUPLE {count}")
        for name in ("x", "n", "v"):
            self.op(f"LOAD_FAST {name}")
        self.op("BUILD_TUPLE 4")
        self.op("RETURN_VALUE")

    # Exceptions.

    def handler(self, number, blocks):
        """Code that an exception goes to, with an empty stack but for the exception; it ends in a
        return or goes on."""
        lasti = self.chance(0.4)
        self.code.append(f"h{number}:")
        self.op("PUSH_EXC_INFO")
        if self.chance(0.5):
            self.op(f"LOAD_GLOBAL {self.pick(ERRORS)}")
            self.op("CHECK_EXC_MATCH")
            self.op(self.pick(("POP_TOP", f"POP_JUMP_FORWARD_IF_FALSE h{number}_again")))
        self.op("STORE_FAST w" if self.chance(0.5) else "POP_TOP")
        self.op("LOAD_CONST 1")
        self.op("STORE_FAST n")
        self.op("POP_EXCEPT")
        if lasti:
            self.op("POP_TOP")
        self.stack = []
        self.code.append(f"h{number}_done:")
        back = self.pick(blocks)
        if self.chance(0.5):
            self.shaped(back.shape)
            self.code.append(f"BACK {back.label}")
            self.stack = list(back.shape)
        self.returning()
        self.code.append(f"h{number}_again:")
        self.op("COPY 1")
        self.op("POP_TOP")
        self.op("RERAISE 0")
        self.code.append(f"h{number}_clean:")
        self.op("COPY 3")
        self.op("POP_EXCEPT")
        self.op("RERAISE 1")
        clean = 1 + lasti
        self.code.append(f"try h{number} h{number}_done h{number}_clean {clean} 1")
        self.code.append(f"try h{number}_again h{number}_clean h{number}_clean {clean} 1")
        return lasti

    def covered(self, length, number, lasti):
        """Puts a range's labels anywhere in the blocks' code."""
        places = [at for at in range(length) if not self.code[at - 1].startswith("KW_NAMES")]
        first, end = sorted(self.random.sample(places, 2))
        self.code.insert(end, f"e{number}:")
        self.code.insert(first, f"s{number}:")
        self.code.insert(0, f"try s{number} e{number} h{number} 0 {int(lasti)}")

    def function(self):
        """The text of code that the verifier takes."""
        while True:
            code = self.drawn_function()
            try:
                assembly.function("f", PARAMETERS, "\n".join(code), {})
                return code
            except ValueError:
                continue

    def drawn_function(self):
        self.code, self.line = [], 1
        blocks = self.draw_blocks()
        for name, kind in (("v", "n"), ("w", "n")):
            self.push(kind)
            self.op(f"STORE_FAST {name}")
        self.shaped_start(blocks)
        for at in range(len(blocks)):
            self.block(blocks, at)
        self.returning()
        length = len(self.code)
        for number in range(self.pick((0, 0, 1, 1, 2))):
            lasti = self.handler(number, blocks)
            self.covered(length, number, lasti)
        return self.code

    def shaped_start(self, blocks):
        self.stack = []
        self.shaped(blocks[0].shape)

    def text(self):
        self.lines = list(HEAD)
        self.emit(0, f"f = assembly.function('f', '{PARAMETERS}', '\\n'.join([")
        for line in self.function():
            self.emit(1, repr(line) + ",")
        self.emit(0, "]), globals())")
        for _ in range(2):
            dtype, size = self.pick(("float64", "float64", "int64", "float32")), self.pick(
                (5, 5, 3, 1, 0)
            )
            seed = self.random.randrange(100)
            for _ in range(2):
                self.emit(
                    0,
                    f"call('f', f, make(({size},), {dtype!r}, 'c', {seed}), make(({size},), 'float64', 'c', {seed + 1}), "
                    f"{self.pick(('1', '2', '0.5'))}, 3, (1, 2), [1, 2.5, 3], None, None)",
                )
        self.emit(0, "print(log)")
        return "\n".join(self.lines) + "\n"
