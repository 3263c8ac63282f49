"""The standard's special cases of elementwise functions, as a table.

A case is "operands>result". Operands: letters for sets of numbers, a comma between two operands, a slash between the
parts of a complex one. Results: a number, a sign, or one of the operands.
"""
import math

nan, inf = math.nan, math.inf

POSITIVE = (1.0, 0.5, 2.0, 3.0, 42.75, 1e-3, 1e5)
NEGATIVE = tuple(-x for x in POSITIVE)
NONZERO = POSITIVE + NEGATIVE
ZEROS = (0.0, -0.0)
NUMBERS = {
    "N": (nan,), "I": (inf,), "J": (-inf,), "Z": (0.0,), "M": (-0.0,), "1": (1.0,), "-1": (-1.0,),
    "p": POSITIVE, "n": NEGATIVE, "pn": NONZERO, "F": NONZERO + ZEROS, "00": ZEROS, "IJ": (inf, -inf),
    ">0": POSITIVE + (inf,), "<0": NEGATIVE + (-inf,), ">1": (1.25, 9.0, inf), "<-1": (-1.25, -9.0, -inf),
    "<1": (0.5, 0.0, -2.0, -inf), "any": NONZERO + ZEROS + (inf, -inf, nan), "notN": NONZERO + ZEROS + (inf, -inf),
    "not1": tuple(x for x in NONZERO + ZEROS + (inf, -inf) if x != 1), "not0": NONZERO + (inf, -inf, nan),
    "|>1|": (1.5, -1.5, inf, -inf), "|1|": (1.0, -1.0), "|<1|": (0.5, -0.5, 0.0, -0.0),
    "odd": (1.0, 3.0), "not odd": (2.0, 0.5, inf), "-odd": (-1.0, -3.0), "-not odd": (-2.0, -0.5, -inf),
    "not int": (0.5, -0.5, 2.25), "int": (1.0, -3.0, 1e30), "half": (0.5, 1.5, 2.5, -0.5, -1.5, 12345.5),
}
RESULTS = {"N": nan, "I": inf, "J": -inf, "Z": 0.0, "M": -0.0, "1": 1.0, "-1": -1.0, "true": 1.0, "false": 0.0}
# Known but for the last bits.
ANGLES = {"pi": math.pi, "pi/2": math.pi / 2, "pi/4": math.pi / 4, "3pi/4": 3 * math.pi / 4}
ANGLES.update({"-" + name: -angle for name, angle in list(ANGLES.items())})

_ODD = "N>N; Z>Z; M>M; "  # of odd functions
_LOGARITHM = "N>N; <0>N; 00>J; 1>Z; I>I"
_ROUNDING = _ODD + "int>x; I>I; J>J"
UNARY = {
    "abs": "N>N; M>Z; J>I", "acos": "N>N; >1>N; <-1>N; 1>Z", "acosh": "N>N; <1>N; 1>Z; I>I",
    "asin": _ODD + ">1>N; <-1>N", "asinh": _ODD + "I>I; J>J", "atan": _ODD + "I>pi/2; J>-pi/2",
    "atanh": _ODD + "<-1>N; >1>N; -1>J; 1>I", "ceil": _ROUNDING, "floor": _ROUNDING, "trunc": _ROUNDING,
    "round": _ROUNDING + "; half>even", "cos": "N>N; 00>1; IJ>N", "cosh": "N>N; 00>1; IJ>I", "exp": "N>N; 00>1; I>I; J>Z",
    "expm1": _ODD + "I>I; J>-1", "isfinite": "IJ>false; N>false; F>true", "isinf": "IJ>true; N>false; F>false",
    "isnan": "N>true; notN>false", "log": _LOGARITHM, "log2": _LOGARITHM, "log10": _LOGARITHM,
    "log1p": _ODD + "<-1>N; -1>J; I>I", "reciprocal": "N>N; Z>I; M>J; I>Z; J>M", "sign": "<0>-1; 00>zero; >0>1; N>N",
    "signbit": "Z>false; M>true; I>false; J>true; p>false; n>true; N>false", "sin": _ODD + "IJ>N",
    "sinh": _ODD + "I>I; J>J", "sqrt": _ODD + "<0>N; I>I", "square": "N>N; IJ>I; M>Z", "tan": _ODD + "IJ>N",
    "tanh": _ODD + "I>1; J>-1", "negative": "Z>M; M>Z; I>J; J>I; N>N", "positive": _ODD + "I>I; J>J",
}

_NAN = "N,any>N; any,N>N; "
_SIGN_RULE = "p,p>+; n,n>+; p,n>-; n,p>-; "
_QUOTIENT = (_NAN + _SIGN_RULE + "IJ,IJ>N; 00,00>N; Z,>0>Z; M,>0>M; Z,<0>M; M,<0>Z; >0,Z>I; >0,M>J; <0,Z>J; <0,M>I; "
             "I,p>I; I,n>J; J,p>J; J,n>I; p,I>Z; p,J>M; n,I>M; n,J>Z")
BINARY = {
    "add": _NAN + "I,J>N; J,I>N; I,I>I; J,J>J; I,F>I; J,F>J; F,I>I; F,J>J; M,M>M; M,Z>Z; Z,M>Z; Z,Z>Z; 00,pn>y; pn,00>x",
    "subtract": _NAN + "I,I>N; J,J>N; I,J>I; J,I>J; F,I>J; F,J>I; Z,Z>Z; M,M>Z; M,Z>M; Z,M>Z",
    "multiply": _NAN + _SIGN_RULE + "IJ,00>N; 00,IJ>N; I,p>I; I,n>J; J,p>J; J,n>I; p,I>I; n,J>I; I,I>I; I,J>J; Z,p>Z; Z,n>M",
    "divide": _QUOTIENT, "floor_divide": _QUOTIENT,
    "remainder": _NAN + "IJ,IJ>N; 00,00>N; 00,>0>Z; 00,<0>M; >0,00>N; <0,00>N; IJ,pn>N; p,I>x; p,J>y; n,I>y; n,J>x",
    "pow": "not1,N>N; any,00>1; N,not0>N; |>1|,I>I; |>1|,J>Z; |1|,IJ>1; 1,notN>1; |<1|,I>Z; |<1|,J>I; I,>0>I; I,<0>Z; "
           "J,odd>J; J,not odd>I; J,-odd>M; J,-not odd>Z; Z,>0>Z; Z,<0>I; M,odd>M; M,not odd>Z; M,-odd>J; M,-not odd>I; "
           "n,not int>N",
    "atan2": _NAN + ">0,00>pi/2; Z,>0>Z; Z,Z>Z; Z,M>pi; Z,<0>pi; M,>0>M; M,Z>M; M,M>-pi; M,<0>-pi; <0,00>-pi/2; p,I>Z; "
                    "p,J>pi; n,I>M; n,J>-pi; I,F>pi/2; J,F>-pi/2; I,I>pi/4; I,J>3pi/4; J,I>-pi/4; J,J>-3pi/4",
    "hypot": "IJ,any>I; any,IJ>I; 00,N>N; N,00>N; F,N>N; N,F>N; N,N>N", "logaddexp": _NAN + "I,notN>I; notN,I>I",
    "maximum": _NAN, "minimum": _NAN, "nextafter": _NAN + "M,Z>Z; Z,M>M",
    "copysign": "p,p>+; p,n>-; p,M>-; n,Z>+; n,p>+; N,p>N",
    "equal": "N,any>false; any,N>false; I,I>true; J,J>true; 00,00>true; I,J>false",
    "not_equal": "N,any>true; any,N>true; I,J>true; J,I>true; I,I>false; 00,00>false",
}

# A sign that is left open has a ~. sqrt and log2 are not here: the standard's text of the one contradicts C's and
# itself, the other is a quotient of log.
COMPLEX = {
    "acos": "00/Z>pi/2,M; 00/N>pi/2,N; F/I>pi/2,J; J/p>pi,J; I/p>Z,J; J/I>3pi/4,J; I/I>pi/4,J; IJ/N>N,~I; N/I>N,J",
    "acosh": "00/Z>Z,pi/2; F/I>I,pi/2; J/p>I,pi; I/p>I,Z; J/I>I,3pi/4; I/I>I,pi/4; IJ/N>I,N; N/I>I,N; N/F>N,N",
    "asinh": "Z/Z>Z,Z; p/I>I,pi/2; F/N>N,N; I/p>I,Z; I/I>I,pi/4; N/Z>N,Z; N/pn>N,N; N/I>~I,N",
    "atanh": "Z/Z>Z,Z; Z/N>Z,N; 1/Z>I,Z; p/I>Z,pi/2; pn/N>N,N; I/p>Z,pi/2; I/I>Z,pi/2; I/N>Z,N; N/I>~Z,pi/2",
    "cosh": "Z/Z>1,Z; Z/I>N,~Z; Z/N>N,~Z; pn/I>N,N; I/Z>I,Z; I/I>~I,N; I/N>I,N; N/00>N,~Z; N/pn>N,N",
    "exp": "00/Z>1,Z; F/I>N,N; F/N>N,N; I/Z>I,Z; J/I>~Z,~Z; I/I>~I,N; J/N>~Z,~Z; I/N>~I,N; N/Z>N,Z; N/pn>N,N",
    "expm1": "00/Z>~Z,Z; F/I>N,N; F/N>N,N; I/Z>I,Z; J/I>-1,~Z; I/I>~I,N; J/N>-1,~Z; I/N>~I,N; N/Z>N,Z; N/pn>N,N",
    "log": "M/Z>J,pi; Z/Z>J,Z; F/I>I,pi/2; F/N>N,N; J/p>I,pi; I/p>I,Z; J/I>I,3pi/4; I/I>I,pi/4; IJ/N>I,N; N/I>I,N",
    "log1p": "-1/Z>J,Z; F/I>I,pi/2; F/N>N,N; J/p>I,pi; I/p>I,Z; J/I>I,3pi/4; I/I>I,pi/4; IJ/N>I,N; N/I>I,N",
    "sinh": "Z/Z>Z,Z; Z/I>~Z,N; Z/N>~Z,N; p/I>N,N; p/N>N,N; I/Z>I,Z; I/I>~I,N; I/N>~I,N; N/Z>N,Z; N/pn>N,N",
    "tan": "p/I>Z,1; n/I>M,1; p/J>Z,-1; n/J>M,-1",
    "tanh": "Z/Z>Z,Z; pn/I>N,N; pn/N>N,N; I/p>1,Z; I/n>1,M; J/p>-1,Z; J/n>-1,M; I/I>1,~Z; I/N>1,~Z; N/Z>N,Z; N/pn>N,N",
}


def cases(text):
    """Operands and result of each case of a row."""
    for case in filter(None, map(str.strip, text.split(";"))):
        yield case.rsplit(">", 1)


def is_result(result, got, operands):
    """Whether a function's value for the operands is what the case says."""
    if result.startswith("~"):
        return is_result(result[1:], abs(got), operands)
    if result in "+-":
        return math.copysign(1, got) == (1 if result == "+" else -1)
    if result == "zero":
        return got == 0
    if result == "even":
        return got == round(operands[0])
    if result in ANGLES:
        return math.isclose(got, ANGLES[result], rel_tol=1e-6)
    expected = operands["xy".index(result)] if result in ("x", "y") else RESULTS[result]
    if math.isnan(expected):
        return math.isnan(got)
    return (got, math.copysign(1, got)) == (expected, math.copysign(1, expected))
