/* Kernel: a compiled function of a few float64 vectors as a Python callable.

   kernel(q, qd, qdd) and kernel(q, qd, qdd, out=tau) run here if every argument is a plain
   C-contiguous float64 array of finite numbers, one state or one per row; other keywords are
   accepted if they have their default values. Everything else, including wrong shapes and
   non-finite numbers, goes to the Python function `fallback`, which converts it or raises an error.
   So the checks cost next to nothing, and the messages are written in Python.

   `bound` vectors, e.g. a payload, follow the inputs in every call; a batch shares them. If `parts`
   is a named tuple type, the result is returned as its parts: views of equal width, side by side
   in one array. */
#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <Python.h>
#include <structmember.h>
#include <numpy/arrayobject.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_INPUTS = 6, MOST_AXES = 3, MOST_PARTS = 3, KEPT = 4 };
enum { BLOCK = 512, SMALL_BLOCK = 8 }; /* rows */
enum { LINE = 8, MANY_BYTES = 1 << 20 }; /* cache line, in doubles; cache, in bytes */

static PyObject *out_name; /* "out", interned like keyword names */

#define P const double *
typedef void (*one1)(P, double *);
typedef void (*one2)(P, P, double *);
typedef void (*one3)(P, P, P, double *);
typedef void (*one4)(P, P, P, P, double *);
typedef void (*one5)(P, P, P, P, P, double *);
typedef void (*one6)(P, P, P, P, P, P, double *);
typedef void (*many1)(size_t, P, double *);
typedef void (*many2)(size_t, P, P, double *);
typedef void (*many3)(size_t, P, P, P, double *);
typedef void (*many4)(size_t, P, P, P, P, double *);
typedef void (*many5)(size_t, P, P, P, P, P, double *);
typedef void (*many6)(size_t, P, P, P, P, P, P, double *);
#undef P

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *fallback, *defaults, *owner, *name, *doc, *bound;
    PyTypeObject *parts;                /* a named tuple, or NULL */
    void *one, *many;
    int inputs, pointers, axes;         /* axes of one result: 1 (n) or 2 (n, n) */
    const double *trailing[MOST_INPUTS]; /* data of `bound` */
    Py_ssize_t count_of_parts;
    npy_intp length[MOST_INPUTS];
    npy_intp shape[MOST_AXES];          /* [0] is the number of states in a batch */
    npy_intp size;
    PyObject *kept[KEPT];               /* recently returned results */
    int next;
} Kernel;
