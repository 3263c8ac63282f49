"""Loops copy and exchange what lies on the value stack, as no compiler writes them.

An object that a loop does not look at, and an iterator, may have several places on the stack, or
another one than it began with.
"""
import dis
import types

import numpy as np

CACHES = {name: count for name, count in zip(dis.opname, dis._inline_cache_entries) if count}


def assembled(name, parameters, text, constants=(), names=(), stacksize=8):
    """A function of lines `OPCODE argument`, `OPCODE label` for jumps, or `label:`."""
    lines = [line.split() for line in text.splitlines() if line]
    offsets, labels, offset = [], {}, 0
    for line in lines:
        offsets.append(offset)
        if line[0].endswith(":"):
            labels[line[0][:-1]] = offset
        else:
            offset += 1 + CACHES.get(line[0], 0)
    code = bytearray([dis.opmap["RESUME"], 0])
    for line, offset in zip(lines, offsets):
        if line[0].endswith(":"):
            continue
        argument = line[1] if len(line) > 1 else "0"
        if argument in labels:
            argument = abs(labels[argument] - offset - 1)
        code += bytes([dis.opmap[line[0]], int(argument)]) + bytes(2 * CACHES.get(line[0], 0))
    template = (lambda: 0).__code__
    return types.FunctionType(
        template.replace(co_code=bytes(code), co_name=name, co_consts=constants, co_names=names,
                         co_varnames=tuple(parameters), co_nlocals=len(parameters),
                         co_argcount=len(parameters), co_stacksize=stacksize, co_exceptiontable=b""), globals())


ROUNDS = """
LOAD_FAST 0
LOAD_CONST 0
BINARY_OP 10
STORE_FAST 0
LOAD_FAST 0
POP_JUMP_BACKWARD_IF_TRUE again
RETURN_VALUE
"""

# n, x, y: a copy of y takes the place of y.
copied = assembled("copied", ("n", "x", "y"), """
LOAD_FAST 2
again:
LOAD_FAST 1
COPY 2
SWAP 3
POP_TOP
POP_TOP
""" + ROUNDS, constants=(1,))

# Each round goes on with what the one before has left above the entry's object.
doubled = assembled("doubled", ("n", "x", "y"), """
LOAD_FAST 2
LOAD_FAST 1
again:
COPY 2
POP_TOP
SWAP 2
""" + ROUNDS, constants=(1,))

# An iterator by two places: what one gives, the other does not give again.
twice = assembled("twice", ("n", "numbers", "total"), """
again:
LOAD_FAST 1
GET_ITER
COPY 1
FOR_ITER end
LOAD_FAST 2
BINARY_OP 0
STORE_FAST 2
POP_TOP
FOR_ITER done
LOAD_FAST 2
BINARY_OP 0
STORE_FAST 2
POP_TOP
JUMP_FORWARD done
end:
POP_TOP
done:
LOAD_FAST 0
LOAD_CONST 0
BINARY_OP 10
STORE_FAST 0
LOAD_FAST 0
POP_JUMP_BACKWARD_IF_TRUE again
LOAD_FAST 2
RETURN_VALUE
""", constants=(1,))

# Two iterators change places before one of them goes on.
exchanged = assembled("exchanged", ("n", "numbers", "others", "total"), """
again:
LOAD_FAST 1
GET_ITER
LOAD_FAST 2
GET_ITER
SWAP 2
next:
FOR_ITER end
LOAD_FAST 3
BINARY_OP 0
STORE_FAST 3
JUMP_BACKWARD next
end:
FOR_ITER done
LOAD_FAST 3
BINARY_OP 10
STORE_FAST 3
JUMP_BACKWARD end
done:
LOAD_FAST 0
LOAD_CONST 0
BINARY_OP 10
STORE_FAST 0
LOAD_FAST 0
POP_JUMP_BACKWARD_IF_TRUE again
LOAD_FAST 3
RETURN_VALUE
""", constants=(1,))

# A tuple of an iterator and a number is taken apart: each is where the other was.
unpacked = assembled("unpacked", ("n", "numbers", "total"), """
again:
LOAD_FAST 0
LOAD_FAST 1
GET_ITER
BUILD_TUPLE 2
UNPACK_SEQUENCE 2
POP_TOP
LOAD_FAST 1
GET_ITER
SWAP 2
POP_TOP
next:
FOR_ITER done
LOAD_FAST 2
BINARY_OP 0
STORE_FAST 2
JUMP_BACKWARD next
done:
LOAD_FAST 0
LOAD_CONST 0
BINARY_OP 10
STORE_FAST 0
LOAD_FAST 0
POP_JUMP_BACKWARD_IF_TRUE again
LOAD_FAST 2
RETURN_VALUE
""", constants=(1,))

for rounds in (1, 2, 50, 3000):
    for held in (np.arange(5.0), "text", [1, 2], 7, None):
        x = np.ones(3)
        print(rounds, copied(rounds, x, held) is held, doubled(rounds, x, held) is (held, x)[rounds % 2 == 0], end=" ")
    print()
    print(twice(rounds, [1, 2], 0), twice(rounds, [1.5, 2.5], 0), twice(rounds, np.arange(4.0), 0),
          exchanged(rounds, [0, 1, 2, 5], [2, 3, 7], 1),
          exchanged(rounds, np.arange(3.0), [2.5], 1.5),
          unpacked(rounds, [0, 1, 2, 5], 0))
