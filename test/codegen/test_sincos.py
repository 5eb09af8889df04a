"""The sine and cosine of the kernels against those of the C library in long double."""

import subprocess

import pytest

from manip_dynamics.codegen import emit_c

MAIN = r"""
#include <stdio.h>
#include <stdlib.h>

static double error_in_ulps(double value, long double exact)
{
    int exponent;
    frexpl(fmaxl(fabsl(exact), 1e-12L), &exponent); /* nearer to a zero the absolute error counts */
    return (double)(fabsl((long double)value - exact) / ldexpl(1.0L, exponent - 53));
}

int main(void)
{
    const double ranges[] = {1e-6, 0.8, 10.0, 1e3, 1e5, 9.99e6, 1e8, 1e15};
    double worst = 0.0;
    srand(1);
    for (int r = 0; r < 8; r++)
        for (int i = 0; i < 50000; i++) {
            double angle[LANES], sine[LANES], cosine[LANES];
            lanes x, s, c;
            for (int k = 0; k < LANES; k++)
                angle[k] = ranges[r] * (2.0 * rand() / RAND_MAX - 1.0);
            if (i % 2) /* near multiples of pi/2, where leading digits cancel */
                angle[0] = rint(angle[0] / 1.5707963267948966) * 1.5707963267948966;
            memcpy(&x, angle, sizeof x);
            sincos_lanes(x, &s, &c);
            memcpy(sine, &s, sizeof s);
            memcpy(cosine, &c, sizeof c);
            for (int k = 0; k < LANES; k++) {
                worst = fmax(worst, error_in_ulps(sine[k], sinl(angle[k])));
                worst = fmax(worst, error_in_ulps(cosine[k], cosl(angle[k])));
            }
        }
    printf("%d %g\n", LANES, worst);
    return 0;
}
"""


@pytest.mark.parametrize("flags", [
    ("-O2",), ("-O3", "-mavx2", "-mfma", "-ffp-contract=fast"),
    ("-O3", "-march=native", "-ffp-contract=fast")], ids=" ".join)
def test_sine_and_cosine_are_right_to_a_few_units_in_the_last_place(tmp_path, flags):
    source = tmp_path / "sincos.c"
    source.write_text(emit_c.INCLUDES + emit_c.lanes_source() + MAIN)
    program = tmp_path / "sincos"
    subprocess.run(["gcc", "-std=gnu99", *flags, str(source), "-o", str(program), "-lm"],
                   check=True)
    result = subprocess.run([program], capture_output=True, text=True, check=False)
    if result.returncode < 0:
        pytest.skip("this processor lacks the instructions")
    lanes, worst = result.stdout.split()
    assert int(lanes) > 1
    assert float(worst) < 2.5
