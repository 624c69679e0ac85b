# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arithmetic that is rounded in a direction, by rational numbers: what tile.rounded must give, bit for bit."""

import functools
import math
from fractions import Fraction

import numpy as np

# Type: (bits, digits with the leading one, least exponent of a normal number, largest finite number and infinity as bits)
FORMATS = {
    "f64": (64, 53, -1022, 0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000),
    "f32": (32, 24, -126, 0x7F7FFFFF, 0x7F800000),
    "f16": (16, 11, -14, 0x7BFF, 0x7C00),
    "bf16": (16, 8, -126, 0x7F7F, 0x7F80),
    "f8E5M2": (8, 3, -14, 0x7B, 0x7C),
    "f8E4M3FN": (8, 4, -6, 0x7E, 0x7F),  # what would be infinity is NaN
}
MODES = ["to_nearest_even", "downward", "upward", "toward_zero"]


def is_nan(bits, element):
    width, _, _, largest, infinity = FORMATS[element]
    magnitude = bits & ((1 << (width - 1)) - 1)
    return magnitude > (largest if element == "f8E4M3FN" else infinity)


def is_infinite(bits, element):
    width, _, _, _, infinity = FORMATS[element]
    return element != "f8E4M3FN" and bits & ((1 << (width - 1)) - 1) == infinity


def is_negative(bits, element):
    return bool(bits >> (FORMATS[element][0] - 1))


@functools.lru_cache(maxsize=None)  # of the same number for all modes
def value_of(bits, element):
    """A finite number as a fraction."""
    width, digits, least, _, _ = FORMATS[element]
    magnitude = bits & ((1 << (width - 1)) - 1)
    exponent, fraction = magnitude >> (digits - 1), magnitude & ((1 << (digits - 1)) - 1)
    value = fraction * scale(least - digits + 1) if exponent == 0 else ((1 << (digits - 1)) + fraction) * scale(exponent - 1 + least - digits + 1)
    return -value if is_negative(bits, element) else value


@functools.lru_cache(maxsize=None)
def scale(exponent):
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


def exponent_of(value):
    """The e for which 2^e <= value < 2^(e+1)."""
    return exponent_of_quotient(value.numerator, value.denominator)


def exponent_of_quotient(numerator, denominator):
    e = numerator.bit_length() - denominator.bit_length()
    return e if denominator << max(e, 0) <= numerator << max(-e, 0) else e - 1


def rounded(value, element, mode, zero_is_negative=False):
    """The bits of a fraction. `zero_is_negative`: the sign of a result that is exactly zero."""
    width, digits, least, largest, infinity = FORMATS[element]
    sign = 1 << (width - 1)
    # With whole numbers, which are much faster than fractions.
    numerator, denominator = value.numerator, value.denominator
    if numerator == 0:
        return sign if zero_is_negative else 0
    negative, numerator = numerator < 0, abs(numerator)
    unit = max(exponent_of_quotient(numerator, denominator), least) - digits + 1
    denominator <<= max(unit, 0)
    count, rest = divmod(numerator << max(-unit, 0), denominator)
    if mode == "to_nearest_even":
        away = 2 * rest > denominator or (2 * rest == denominator and count % 2)
    elif mode == "to_nearest_away":
        away = 2 * rest >= denominator
    else:
        away = {"downward": negative, "upward": not negative, "toward_zero": False}[mode]
    if rest and away:
        count += 1
    # The bits of consecutive numbers are consecutive.
    bits = count + ((unit - (least - digits + 1)) << (digits - 1))
    if count == 0:
        bits = 0
    if bits > largest:
        stays = mode == "toward_zero" or (mode == "downward" and not negative) or (mode == "upward" and negative)
        bits = largest if stays else infinity
    return bits | (sign if negative else 0)


def root(value, element, mode):
    """The square root of a positive fraction: a lower bound with more digits than any type, and whether it is exact."""
    shift = 2 * (FORMATS[element][1] + 8) - exponent_of(value)
    shift += shift % 2
    number = value * scale(shift)
    low = math.isqrt(number.numerator // number.denominator)
    exact = Fraction(low * low) == number
    # A root that is not exact lies strictly between two neighbours of this many digits.
    return rounded((Fraction(low) if exact else Fraction(2 * low + 1, 2)) / scale(shift // 2), element, mode)


def flush(bits, element):
    """A denormal as zero of its sign."""
    width, digits, _, _, _ = FORMATS[element]
    return bits if bits >> (digits - 1) & ((1 << (width - digits)) - 1) else bits & (1 << (width - 1))


NAN = -1  # any NaN


def compute(kind, operands, element, mode, flushes=False):
    """The bits of the result, or NAN. The operands are bits."""
    if flushes:
        operands = [flush(x, element) for x in operands]
    result = compute_with_denormals(kind, operands, element, mode)
    if not flushes or result == NAN:
        return result
    # What counts is the result with all its digits, as if there were no least exponent. So the one denormal-looking case that stays is a
    # result that becomes the least normal number in all its digits. With a factor of 2^64 no digit is lost.
    if flush(result, element) != result:
        return flush(result, element)
    _, digits, least, _, _ = FORMATS[element]
    if result & ~(1 << (FORMATS[element][0] - 1)) == 1 << (digits - 1) and kind in ("mulf", "divf", "fma"):
        values = [value_of(x, element) for x in operands]
        exact = values[0] / values[1] if kind == "divf" else values[0] * values[1] + (values[2] if kind == "fma" else 0)
        many = value_of(rounded(exact * scale(64), element, mode), element)
        if abs(many) < scale(least + 64):
            return result & 1 << (FORMATS[element][0] - 1)
    return result


def compute_with_denormals(kind, operands, element, mode):
    width, _, _, _, infinity = FORMATS[element]
    sign = 1 << (width - 1)
    if any(is_nan(x, element) for x in operands):
        return NAN
    if kind == "subf":
        kind, operands = "addf", [operands[0], operands[1] ^ sign]
    negative = [is_negative(x, element) for x in operands]
    infinite = [is_infinite(x, element) for x in operands]
    zero = [x & (sign - 1) == 0 for x in operands]
    if kind == "sqrt":
        if zero[0]:
            return operands[0]
        if negative[0]:
            return NAN
        return infinity if infinite[0] else root(value_of(operands[0], element), element, mode)
    if kind in ("addf", "mulf", "divf") and element == "f8E4M3FN" and kind == "divf" and zero[1]:
        return NAN
    if kind == "divf":
        product = negative[0] != negative[1]
        if (zero[0] and zero[1]) or (infinite[0] and infinite[1]):
            return NAN
        if infinite[0] or zero[1]:
            return infinity | (sign if product else 0)
        if infinite[1]:
            return sign if product else 0
        return rounded(value_of(operands[0], element) / value_of(operands[1], element), element, mode, product)
    if kind == "addf":
        one, product, other = operands[0], negative[0], operands[1]
        infinite_product = infinite[0]
    else:
        product = negative[0] != negative[1]
        if (infinite[0] and zero[1]) or (zero[0] and infinite[1]):
            return NAN
        infinite_product = infinite[0] or infinite[1]
    if kind == "mulf":
        if infinite_product:
            return infinity | (sign if product else 0)
        return rounded(value_of(operands[0], element) * value_of(operands[1], element), element, mode, product)
    last = operands[-1]
    if infinite[-1]:
        return NAN if infinite_product and product != negative[-1] else last
    if infinite_product:
        return infinity | (sign if product else 0)
    exact = value_of(one, element) if kind == "addf" else value_of(operands[0], element) * value_of(operands[1], element)
    # A sum of zeros of one sign has that sign; other sums of zero have that of the mode.
    zero_sign = product if product == negative[-1] else mode == "downward"
    return rounded(exact + value_of(last, element), element, mode, zero_sign)


def as_array(bits, element, dtype):
    """Bits as an array of the type; NAN as a NaN."""
    width = FORMATS[element][0]
    unsigned = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}[width]
    some = (1 << (width - 1)) - 1
    return np.array([some if x == NAN else x for x in bits], dtype=unsigned).view(dtype)


def operands_of(rng, element, count):
    """Triples of bits: special values, numbers at the ends of the range, cancellation, anything."""
    width, digits, least, largest, infinity = FORMATS[element]
    sign, one, hidden = 1 << (width - 1), (infinity >> 1) & ~((1 << (digits - 1)) - 1), 1 << (digits - 1)
    one = rounded(Fraction(1), element, "to_nearest_even")
    special = [0, 1, 2, hidden - 1, hidden, hidden + 1, one - 1, one, one + 1, one + hidden, one - hidden, one + digits * hidden % infinity,
               largest, largest - 1, infinity, (1 << (width - 1)) - 1]
    special = [x | s for x in special for s in (0, sign)]
    triples = [(a, b, special[int(rng.integers(len(special)))]) for a in special for b in special]
    anything = lambda: int.from_bytes(rng.bytes(width // 8), "little")
    near = lambda x, spread: (x + int(rng.integers(-spread, spread + 1))) % (1 << width)

    def nearby(exact, mode="to_nearest_even"):
        return near(rounded(exact, element, mode), 2)

    def finite():
        while True:
            x = anything()
            if not is_nan(x, element) and not is_infinite(x, element):
                return x

    def ordinary():
        """A number between 2^-6 and 2^6."""
        return (one + int(rng.integers(-6 * hidden, 6 * hidden)) if infinity > 7 * hidden + one else finite()) | (sign if rng.integers(2) else 0)

    border = [scale(least), scale(least - digits + 1), value_of(largest, element)]
    while len(triples) < count:
        kind = int(rng.integers(7))
        a, b, c = finite(), finite(), finite()
        if kind == 1:
            a, b, c = ordinary(), ordinary(), ordinary()
        elif kind == 2:  # a sum near zero, a quotient near 1
            b = near(a, 3) ^ (sign if rng.integers(2) else 0)
        elif kind == 3:  # a * b + c near zero
            a, b = (ordinary(), ordinary()) if rng.integers(2) else (a, b)
            c = nearby(-value_of(a, element) * value_of(b, element))
        elif kind in (4, 5) and value_of(a, element):  # a product or a quotient at an end of the range
            target = border[int(rng.integers(len(border)))] * (1 if rng.integers(2) else -1)
            b = nearby(target / value_of(a, element) if kind == 4 else value_of(a, element) / target)
        elif kind == 6:  # a sum of which one part is far below the other
            a, b, c = ordinary(), ordinary(), int(rng.integers(0, 3 * hidden)) | (sign if rng.integers(2) else 0)
            if rng.integers(2):
                a, c = c, a
        triples.append((a, b, c))
    return triples[:count] if count < len(triples) else triples
