"""On which side of a line a point lies, exactly.

The surface and the walls hold only if no rounding ever puts a centre on the wrong side, so the sign of

    (a - c) x (b - c)

is taken exactly: the plain product where its error bound proves the sign, else the sum of the six products in full,
each as two doubles without loss, added up as a nonoverlapping expansion whose largest part has the sign of the sum.

Source: J. R. Shewchuk, Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates, 1997:
theorems 6 (two-sum), 10 (grow-expansion), 17 and 18 (split, two-product), and the bound of section 4.2. Splitting takes
the place of a fused multiply-add. Exact as long as no product over- or underflows: magnitudes below 1e150, and what
lies under 1e-290 counts as zero.
"""

from orca_core._jit import kernel

__all__ = ["WORK", "add_product", "grow", "orientation", "split_product"]

# (3 + 16 u) u with u = 2^-53: a determinant above this part of the sum of its magnitudes has the right sign
ERROR_BOUND = 3.3306690738754716e-16
# 2^27 + 1 cuts 53 bits in two halves
SPLITTER = 134217729.0
# entries of scratch: six products of two parts
WORK = 12


@kernel("Tuple((f8,f8))(f8,f8)")
def split_product(a, b):
    """Return a * b rounded, and what the rounding lost."""
    product = a * b
    big = SPLITTER * a
    a_high = big - (big - a)
    a_low = a - a_high
    big = SPLITTER * b
    b_high = big - (big - b)
    b_low = b - b_high
    loss = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)
    return product, loss


@kernel("i8(f8[::1],i8,f8)")
def grow(work, count, value):
    """Add `value` to the expansion in work[:count], least part first; returns the new number of parts."""
    carry = value
    for i in range(count):
        part = work[i]
        total = carry + part
        virtual = total - carry
        work[i] = (carry - (total - virtual)) + (part - virtual)
        carry = total
    work[count] = carry
    return count + 1


@kernel("i8(f8[::1],i8,f8,f8)")
def add_product(work, count, a, b):
    """Add the exact product a * b to the expansion in work[:count]; returns the new number of parts."""
    product, loss = split_product(a, b)
    count = grow(work, count, loss)
    return grow(work, count, product)


@kernel("i8(f8,f8,f8,f8,f8,f8,f8[::1])")
def orientation(ax, ay, bx, by, cx, cy, work):
    """1 where c lies to the left of the line a -> b, -1 to the right, 0 exactly on it.

    `work` is scratch of WORK entries, touched only where plain arithmetic cannot tell.
    """
    left = (ax - cx) * (by - cy)
    right = (ay - cy) * (bx - cx)
    determinant = left - right
    bound = ERROR_BOUND * (abs(left) + abs(right))
    if determinant > bound:
        return 1
    if -determinant > bound:
        return -1
    # both products are zero: c shares a coordinate with an end and lies on the line (an axis-parallel wall, above all)
    if bound == 0.0:
        return 0
    # a x b + b x c + c x a, without loss
    count = add_product(work, 0, ax, by)
    count = add_product(work, count, -ay, bx)
    count = add_product(work, count, bx, cy)
    count = add_product(work, count, -by, cx)
    count = add_product(work, count, cx, ay)
    count = add_product(work, count, -cy, ax)
    while count > 0:
        count -= 1
        if work[count] > 0.0:
            return 1
        if work[count] < 0.0:
            return -1
    return 0
