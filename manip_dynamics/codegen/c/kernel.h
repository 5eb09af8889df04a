/* Kernel: a compiled function of a few float64 vectors as a Python callable.

   kernel(q, qd, qdd) and kernel(q, qd, qdd, out=tau) run here when every argument is a plain
   C-contiguous float64 array of finite numbers, one state or one per row; other keywords may be
   there if they have their default values. Everything else, wrong shapes and non-finite numbers
   included, goes to the Python function `fallback`, which converts or says what is wrong. So the
   checks cost next to nothing, and the messages are in Python.

   `bound` vectors follow the inputs in every call, one for all states of a batch: a payload, say.
   A result of several parts, `parts` a named tuple, is returned as views of equal width side by
   side in one array. */
#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <Python.h>
#include <structmember.h>
#include <numpy/arrayobject.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_INPUTS = 6, MOST_AXES = 3, MOST_PARTS = 3, KEPT = 4 };
enum { BLOCK = 512, SMALL_BLOCK = 8 }; /* rows */
enum { LINE = 8, MANY_BYTES = 1 << 20 }; /* of the cache: doubles; bytes */

static PyObject *out_name; /* "out", interned as the names of keywords are */

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
    int inputs, pointers, axes;         /* of one result: axes 1 (n) or 2 (n, n) */
    const double *trailing[MOST_INPUTS]; /* data of `bound` */
    Py_ssize_t count_of_parts;
    npy_intp length[MOST_INPUTS];
    npy_intp shape[MOST_AXES];          /* [0] is the number of states in a batch */
    npy_intp size;
    PyObject *kept[KEPT];               /* results that were handed out lately */
    int next;
} Kernel;
