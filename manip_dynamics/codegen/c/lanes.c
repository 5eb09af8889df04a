/* Lanes: a vector of LANES states (batches), or of LANES angles of one state. */
#if defined(__GNUC__) && !defined(__FAST_MATH__)
#if defined(__AVX512F__)
#define LANES 8
#define FOUR(a, b, c, d) {{a, b, c, d, 0, 0, 0, 0}}
#define EIGHT(a, b, c, d, e, f, g, h) {{a, b, c, d, e, f, g, h}}
#elif defined(__AVX__)
#define LANES 4
#define FOUR(a, b, c, d) {{a, b, c, d}}
#define EIGHT(a, b, c, d, e, f, g, h) {{a, b, c, d}, {e, f, g, h}}
#else
#define LANES 2
#define FOUR(a, b, c, d) {{a, b}, {c, d}}
#define EIGHT(a, b, c, d, e, f, g, h) {{a, b}, {c, d}, {e, f}, {g, h}}
#endif
typedef double lanes __attribute__((vector_size(8 * LANES)));
typedef int64_t lane_bits __attribute__((vector_size(8 * LANES)));
/* Lanes at the address of any double. Not memcpy: gcc 12.2 turns it into a 512-bit integer store
   and mistakes the constant {1, 1, 1, 1, 0, 0, 0, 0} for a broadcast 1: its upper words are 0. */
typedef double lanes_in_doubles __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
#define LOAD(from) (*(const lanes_in_doubles *)(from))
#define STORE(to, value) (*(lanes_in_doubles *)(to) = (value))
#define INLINE static inline __attribute__((always_inline, unused))
#define RARE static __attribute__((noinline, cold, unused))
#if defined(__clang__) || __GNUC__ >= 12
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (lane_bits){__VA_ARGS__})
#endif
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll_count(8)")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif
#else /* no vector types, or -ffast-math, which breaks the range reduction of sincos_lanes */
#define LANES 1
#define FOUR(a, b, c, d) {a, b, c, d}
#define EIGHT(a, b, c, d, e, f, g, h) {a, b, c, d, e, f, g, h}
typedef double lanes;
#define LOAD(from) (*(from))
#define STORE(to, value) (*(to) = (value))
#if defined(__GNUC__)
#define INLINE static inline __attribute__((unused))
#else
#define INLINE static inline
#endif
#define RARE static
#define UNROLL
#endif

/* Sine and cosine by the C library, which reduces angles of any size exactly. */
RARE void sincos_library(const lanes *x, lanes *sine, lanes *cosine)
{
    double angle[LANES], s[LANES], c[LANES];
    int i;
    STORE(angle, *x);
    for (i = 0; i < LANES; i++) {
        s[i] = sin(angle[i]);
        c[i] = cos(angle[i]);
    }
    *sine = LOAD(s);
    *cosine = LOAD(c);
}

#if LANES == 1
INLINE void sincos_lanes(lanes x, lanes *sine, lanes *cosine)
{
    sincos_library(&x, sine, cosine);
}

INLINE lanes sign_lanes(lanes x)
{
    return (double)((x > 0.0) - (x < 0.0));
}
#else
/* Sine and cosine, error below 2.5 units in the last place, or 5e-28 near a zero. x = k pi/2 + r
   with |r| <= pi/4; pi/2 is split so that its products with k < 2^23 are exact, except the last.
   Polynomials: minimax on |r| <= pi/4. */
INLINE void sincos_lanes(lanes x, lanes *sine, lanes *cosine)
{
    const double largest = 1e7, to_integer = 0x1.8p52;
    const lanes shifted = x * 0.63661977236758134308 + to_integer;
    const lanes k = shifted - to_integer;
    const lanes r = ((x - k * 0x1.921fb54p0) - k * 0x1.10b46118p-30) - k * 0x1.313198a2e0370p-61;
    const lanes z = r * r, zz = z * z;
    const lanes s = r + r * z * ((-0.1666666666666663 + z * 0.008333333333322113)
        + zz * ((-0.00019841269829584855 + z * 2.7557313619702316e-06)
        + zz * (-2.5050747490622135e-08 + z * 1.5896213900738097e-10)));
    const lanes c = (1.0 - 0.5 * z) + zz * ((0.041666666666596505 - z * 0.0013888888877607232)
        + zz * ((2.4801580705327847e-05 - z * 2.75555227492086e-07)
        + zz * 2.064509570397707e-09));
    const lane_bits quadrant = (lane_bits)shifted;
    const lane_bits swap = -(quadrant & 1);
    const lane_bits s_sign = (quadrant & 2) << 62, c_sign = ((quadrant + 1) & 2) << 62;
    const lane_bits large = (lane_bits)(x * x > largest * largest);
    int64_t any_large = 0;
    int i;
    *sine = (lanes)((((lane_bits)s & ~swap) | ((lane_bits)c & swap)) ^ s_sign);
    *cosine = (lanes)((((lane_bits)c & ~swap) | ((lane_bits)s & swap)) ^ c_sign);
    for (i = 0; i < LANES; i++)
        any_large |= large[i];
    if (any_large)
        sincos_library(&x, sine, cosine);
}

INLINE lanes sign_lanes(lanes x)
{
    const lanes zero = {0}, one = zero + 1.0;
    return (lanes)(((lane_bits)one & (lane_bits)(x > zero))
                   | ((lane_bits)-one & (lane_bits)(x < zero)));
}
#endif

/* Angles of one state, packed into lanes. */
INLINE void sincos_list(int vectors, const lanes *angles, double *sines, double *cosines)
{
    lanes s, c;
    int i;
    for (i = 0; i < vectors; i++) {
        sincos_lanes(angles[i], &s, &c);
        STORE(sines + i * LANES, s);
        STORE(cosines + i * LANES, c);
    }
}

/* Transpose a block of LANES vectors from columns into rows. */
INLINE void transpose(const lanes *v, lanes *w)
{
#if LANES == 8
    const lanes a0 = SHUFFLE(v[0], v[1], 0, 8, 2, 10, 4, 12, 6, 14);
    const lanes a1 = SHUFFLE(v[0], v[1], 1, 9, 3, 11, 5, 13, 7, 15);
    const lanes a2 = SHUFFLE(v[2], v[3], 0, 8, 2, 10, 4, 12, 6, 14);
    const lanes a3 = SHUFFLE(v[2], v[3], 1, 9, 3, 11, 5, 13, 7, 15);
    const lanes a4 = SHUFFLE(v[4], v[5], 0, 8, 2, 10, 4, 12, 6, 14);
    const lanes a5 = SHUFFLE(v[4], v[5], 1, 9, 3, 11, 5, 13, 7, 15);
    const lanes a6 = SHUFFLE(v[6], v[7], 0, 8, 2, 10, 4, 12, 6, 14);
    const lanes a7 = SHUFFLE(v[6], v[7], 1, 9, 3, 11, 5, 13, 7, 15);
    const lanes b0 = SHUFFLE(a0, a2, 0, 1, 8, 9, 4, 5, 12, 13);
    const lanes b1 = SHUFFLE(a1, a3, 0, 1, 8, 9, 4, 5, 12, 13);
    const lanes b2 = SHUFFLE(a0, a2, 2, 3, 10, 11, 6, 7, 14, 15);
    const lanes b3 = SHUFFLE(a1, a3, 2, 3, 10, 11, 6, 7, 14, 15);
    const lanes b4 = SHUFFLE(a4, a6, 0, 1, 8, 9, 4, 5, 12, 13);
    const lanes b5 = SHUFFLE(a5, a7, 0, 1, 8, 9, 4, 5, 12, 13);
    const lanes b6 = SHUFFLE(a4, a6, 2, 3, 10, 11, 6, 7, 14, 15);
    const lanes b7 = SHUFFLE(a5, a7, 2, 3, 10, 11, 6, 7, 14, 15);
    w[0] = SHUFFLE(b0, b4, 0, 1, 2, 3, 8, 9, 10, 11);
    w[1] = SHUFFLE(b1, b5, 0, 1, 2, 3, 8, 9, 10, 11);
    w[2] = SHUFFLE(b2, b6, 0, 1, 2, 3, 8, 9, 10, 11);
    w[3] = SHUFFLE(b3, b7, 0, 1, 2, 3, 8, 9, 10, 11);
    w[4] = SHUFFLE(b0, b4, 4, 5, 6, 7, 12, 13, 14, 15);
    w[5] = SHUFFLE(b1, b5, 4, 5, 6, 7, 12, 13, 14, 15);
    w[6] = SHUFFLE(b2, b6, 4, 5, 6, 7, 12, 13, 14, 15);
    w[7] = SHUFFLE(b3, b7, 4, 5, 6, 7, 12, 13, 14, 15);
#elif LANES == 4
    const lanes a0 = SHUFFLE(v[0], v[1], 0, 4, 2, 6), a1 = SHUFFLE(v[0], v[1], 1, 5, 3, 7);
    const lanes a2 = SHUFFLE(v[2], v[3], 0, 4, 2, 6), a3 = SHUFFLE(v[2], v[3], 1, 5, 3, 7);
    w[0] = SHUFFLE(a0, a2, 0, 1, 4, 5);
    w[1] = SHUFFLE(a1, a3, 0, 1, 4, 5);
    w[2] = SHUFFLE(a0, a2, 2, 3, 6, 7);
    w[3] = SHUFFLE(a1, a3, 2, 3, 6, 7);
#elif LANES == 2
    w[0] = SHUFFLE(v[0], v[1], 0, 2);
    w[1] = SHUFFLE(v[0], v[1], 1, 3);
#else
    w[0] = v[0];
#endif
}

/* Broadcast n numbers to all lanes. */
INLINE void spread(const double *numbers, int n, lanes *columns)
{
    const lanes zero = {0};
    int k;
    for (k = 0; k < n; k++)
        columns[k] = zero + numbers[k];
}

/* Convert LANES rows of n numbers to n vectors, and back. */
INLINE void load_rows(const double *rows, int n, lanes *columns)
{
    double column[LANES];
    int i, k;
    for (k = 0; k < n; k++) {
        for (i = 0; i < LANES; i++)
            column[i] = rows[i * n + k];
        columns[k] = LOAD(column);
    }
}

INLINE void store_rows(const lanes *columns, int n, double *rows)
{
    lanes block[LANES];
    double column[LANES];
    int i, k;
    UNROLL
    for (k = 0; k + LANES <= n; k += LANES) {
        transpose(columns + k, block);
        UNROLL
        for (i = 0; i < LANES; i++)
            STORE(rows + i * n + k, block[i]);
    }
    for (; k < n; k++) {
        STORE(column, columns[k]);
        for (i = 0; i < LANES; i++)
            rows[i * n + k] = column[i];
    }
}
