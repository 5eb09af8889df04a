/* Kernel: a compiled function of a few float64 vectors as a Python callable.

   kernel(q, qd, qdd) and kernel(q, qd, qdd, out=tau) run here when every argument is a plain
   C-contiguous float64 array of finite numbers, one state or one per row; other keywords may be
   there if they have their default values. Everything else, wrong
   shapes and non-finite numbers included, goes to the Python function `fallback`, which converts
   or says what is wrong. So the checks cost next to nothing, and the messages are in Python. */
#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <Python.h>
#include <structmember.h>
#include <numpy/arrayobject.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_INPUTS = 3, MOST_AXES = 3, KEPT = 4 };
enum { BLOCK = 512, SMALL_BLOCK = 8 }; /* rows */
enum { LINE = 8, MANY_BYTES = 1 << 20 }; /* of the cache: doubles; bytes */

static PyObject *out_name; /* "out", interned as the names of keywords are */

typedef void (*one1)(const double *, double *);
typedef void (*one2)(const double *, const double *, double *);
typedef void (*one3)(const double *, const double *, const double *, double *);
typedef void (*many1)(size_t, const double *, double *);
typedef void (*many2)(size_t, const double *, const double *, double *);
typedef void (*many3)(size_t, const double *, const double *, const double *, double *);

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *fallback, *defaults, *owner, *name, *doc;
    void *one, *many;
    int inputs, axes;                   /* of one result: axes 1 (n) or 2 (n, n) */
    npy_intp length[MOST_INPUTS];
    npy_intp shape[MOST_AXES];          /* [0] is the number of states in a batch */
    npy_intp size;
    PyArrayObject *kept[KEPT];          /* results that were handed out lately */
    int next;
} Kernel;

/* x * 0 is 0 unless x is NaN or infinite. */
static int finite_state(const double *x, npy_intp length)
{
    double zero = 0.0;
    for (npy_intp i = 0; i < length; i++)
        zero += x[i] * 0.0;
    return zero == 0.0;
}

static int finite_block(const double *x, npy_intp length)
{
    int64_t bad = 0;
    for (npy_intp i = 0; i < length; i++)
        bad |= !(x[i] * 0.0 == 0.0);
    return !bad;
}

static void run_one(const Kernel *kernel, double *const *in, double *out)
{
    if (kernel->inputs == 3)
        ((one3)kernel->one)(in[0], in[1], in[2], out);
    else if (kernel->inputs == 2)
        ((one2)kernel->one)(in[0], in[1], out);
    else
        ((one1)kernel->one)(in[0], out);
}

static void run_block(const Kernel *kernel, const double *const *in, double *out, size_t rows)
{
    if (kernel->inputs == 3)
        ((many3)kernel->many)(rows, in[0], in[1], in[2], out);
    else if (kernel->inputs == 2)
        ((many2)kernel->many)(rows, in[0], in[1], out);
    else
        ((many1)kernel->many)(rows, in[0], out);
}

/* Ask for the memory of a result before it is written. */
static void expect(const double *result, npy_intp length)
{
#ifdef __GNUC__
    for (npy_intp i = 0; i < length; i += LINE)
        __builtin_prefetch(result + i, 1);
#endif
}

/* Returns 0 when it meets a number that is not finite. Results too large for the cache would keep
   the kernel waiting for memory: theirs is asked for while it is busy with the rows before. */
static int run_many(const Kernel *kernel, double *const *in, double *out, npy_intp count)
{
    const int large = kernel->size >= 2 * LINE
                      && count * kernel->size * (npy_intp)sizeof(double) > MANY_BYTES;
    const npy_intp block = large ? SMALL_BLOCK : BLOCK;
    for (npy_intp start = 0; start < count; start += block) {
        const npy_intp rows = count - start < block ? count - start : block;
        const double *x[MOST_INPUTS];
        for (int k = 0; k < kernel->inputs; k++) {
            x[k] = in[k] + start * kernel->length[k];
            if (!finite_block(x[k], rows * kernel->length[k]))
                return 0;
        }
        double *y = out + start * kernel->size;
        if (large && start + 3 * block <= count)
            expect(y + 2 * block * kernel->size, block * kernel->size);
        run_block(kernel, x, y, (size_t)rows);
    }
    return 1;
}

static int is_result_of_ours(const Kernel *kernel, const PyArrayObject *array)
{
    const int flags = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED | NPY_ARRAY_WRITEABLE
                      | NPY_ARRAY_OWNDATA;
    if (PyArray_TYPE(array) != NPY_DOUBLE || PyArray_NDIM(array) != kernel->axes
        || (PyArray_FLAGS(array) & flags) != flags || !PyArray_ISNOTSWAPPED(array)
        || ((const PyArrayObject_fields *)array)->weakreflist != NULL)
        return 0;
    for (int k = 0; k < kernel->axes; k++)
        if (PyArray_DIM(array, k) != kernel->shape[k + 1])
            return 0;
    return 1;
}

/* An array for one result. One that we made before and that nobody refers to any more is as good
   as new, and saves half the time of a call. */
static PyArrayObject *result_of_one(Kernel *kernel)
{
#ifndef Py_GIL_DISABLED
    for (int k = 0; k < KEPT; k++) {
        PyArrayObject *array = kernel->kept[k];
        if (array != NULL && Py_REFCNT(array) == 1 && is_result_of_ours(kernel, array)) {
            Py_INCREF(array);
            return array;
        }
    }
#endif
    PyArrayObject *array = (PyArrayObject *)PyArray_SimpleNew(
        kernel->axes, kernel->shape + 1, NPY_DOUBLE);
#ifndef Py_GIL_DISABLED
    if (array != NULL) {
        Py_INCREF(array);
        Py_XSETREF(kernel->kept[kernel->next], array);
        kernel->next = (kernel->next + 1) % KEPT;
    }
#endif
    return array;
}

/* The data of a C-contiguous array of native doubles with `axes` axes, or NULL. */
static double *plain_data(PyObject *object, int axes)
{
    PyArrayObject *array = (PyArrayObject *)object;
    if (!PyArray_CheckExact(object) || PyArray_TYPE(array) != NPY_DOUBLE
        || PyArray_NDIM(array) != axes || !PyArray_ISCARRAY_RO(array))
        return NULL;
    return (double *)PyArray_DATA(array);
}

static double *out_data(const Kernel *kernel, PyObject *object, int axes, npy_intp count)
{
    double *data = plain_data(object, kernel->axes + axes - 1);
    PyArrayObject *array = (PyArrayObject *)object;
    if (data == NULL || !PyArray_ISWRITEABLE(array) || (axes == 2 && PyArray_DIM(array, 0) != count))
        return NULL;
    for (int k = 0; k < kernel->axes; k++)
        if (PyArray_DIM(array, k + axes - 1) != kernel->shape[k + 1])
            return NULL;
    return data;
}

/* A batch may overwrite an input row by row, but not run ahead of the rows that it still reads. */
static int may_overwrite(const Kernel *kernel, double *const *in, const double *out, npy_intp count)
{
    for (int k = 0; k < kernel->inputs; k++) {
        const double *in_end = in[k] + count * kernel->length[k];
        int overlap = out < in_end && in[k] < out + count * kernel->size;
        if (overlap && (out != in[k] || kernel->size != kernel->length[k]))
            return 0;
    }
    return 1;
}

static PyObject *call_python(Kernel *kernel, PyObject *const *args, size_t nargsf, PyObject *names)
{
    return PyObject_Vectorcall(kernel->fallback, args, nargsf, names);
}

/* Whether a keyword has its default value, the same object or an equal one of the same type. */
static int is_default(const Kernel *kernel, PyObject *name, PyObject *value)
{
    PyObject *usual = PyDict_GetItem(kernel->defaults, name);
    if (usual == NULL || Py_TYPE(usual) != Py_TYPE(value))
        return 0;
    const int equal = PyObject_RichCompareBool(usual, value, Py_EQ);
    if (equal < 0)
        PyErr_Clear(); /* the fallback will say what is wrong with it */
    return equal == 1;
}

static PyObject *kernel_call(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    Kernel *kernel = (Kernel *)self;
    PyObject *out = NULL;
    double *in[MOST_INPUTS];

    if (PyVectorcall_NARGS(nargsf) != kernel->inputs || !PyArray_CheckExact(args[0]))
        return call_python(kernel, args, nargsf, names);
    for (Py_ssize_t k = 0; names != NULL && k < PyTuple_GET_SIZE(names); k++) {
        PyObject *name = PyTuple_GET_ITEM(names, k), *value = args[kernel->inputs + k];
        if (name == out_name)
            out = value == Py_None ? NULL : value;
        else if (!is_default(kernel, name, value))
            return call_python(kernel, args, nargsf, names);
    }
    const int axes = PyArray_NDIM((PyArrayObject *)args[0]);
    if (axes != 1 && axes != 2)
        return call_python(kernel, args, nargsf, names);
    const npy_intp count = axes == 2 ? PyArray_DIM((PyArrayObject *)args[0], 0) : 1;
    for (int k = 0; k < kernel->inputs; k++) {
        in[k] = plain_data(args[k], axes);
        if (in[k] == NULL || PyArray_DIM((PyArrayObject *)args[k], axes - 1) != kernel->length[k]
            || (axes == 2 && PyArray_DIM((PyArrayObject *)args[k], 0) != count))
            return call_python(kernel, args, nargsf, names);
    }

    double *result = NULL;
    if (out != NULL) {
        result = out_data(kernel, out, axes, count);
        if (result == NULL || (axes == 2 && !may_overwrite(kernel, in, result, count)))
            return call_python(kernel, args, nargsf, names);
        Py_INCREF(out);
    }

    if (axes == 1) {
        for (int k = 0; k < kernel->inputs; k++)
            if (!finite_state(in[k], kernel->length[k])) {
                Py_XDECREF(out);
                return call_python(kernel, args, nargsf, names);
            }
        if (out == NULL) {
            out = (PyObject *)result_of_one(kernel);
            if (out == NULL)
                return NULL;
            result = (double *)PyArray_DATA((PyArrayObject *)out);
        }
        run_one(kernel, in, result);
        return out;
    }

    if (out == NULL) {
        npy_intp shape[MOST_AXES];
        memcpy(shape, kernel->shape, sizeof shape);
        shape[0] = count;
        out = PyArray_SimpleNew(kernel->axes + 1, shape, NPY_DOUBLE);
        if (out == NULL)
            return NULL;
        result = (double *)PyArray_DATA((PyArrayObject *)out);
    }
    int all_finite;
    Py_BEGIN_ALLOW_THREADS
    all_finite = run_many(kernel, in, result, count);
    Py_END_ALLOW_THREADS
    if (all_finite)
        return out;
    Py_DECREF(out);
    return call_python(kernel, args, nargsf, names);
}

static PyObject *kernel_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    unsigned long long one, many;
    PyObject *fallback, *defaults, *owner, *name, *doc, *lengths, *shape;
    if (keywords != NULL && PyDict_GET_SIZE(keywords) != 0) {
        PyErr_SetString(PyExc_TypeError, "Kernel takes no keyword arguments");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "KKO!O!OO!OOO", &one, &many, &PyTuple_Type, &lengths,
                          &PyTuple_Type, &shape, &fallback, &PyDict_Type, &defaults, &owner,
                          &name, &doc))
        return NULL;
    const Py_ssize_t inputs = PyTuple_GET_SIZE(lengths), axes = PyTuple_GET_SIZE(shape);
    if (inputs < 1 || inputs > MOST_INPUTS || axes < 1 || axes >= MOST_AXES) {
        PyErr_SetString(PyExc_ValueError, "Kernel takes 1 to 3 inputs and 1 or 2 result axes");
        return NULL;
    }
    Kernel *kernel = (Kernel *)type->tp_alloc(type, 0);
    if (kernel == NULL)
        return NULL;
    kernel->vectorcall = kernel_call;
    kernel->one = (void *)(uintptr_t)one;
    kernel->many = (void *)(uintptr_t)many;
    kernel->inputs = (int)inputs;
    kernel->axes = (int)axes;
    kernel->size = 1;
    for (Py_ssize_t k = 0; k < inputs; k++)
        kernel->length[k] = PyLong_AsSsize_t(PyTuple_GET_ITEM(lengths, k));
    for (Py_ssize_t k = 0; k < axes; k++) {
        kernel->shape[k + 1] = PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, k));
        kernel->size *= kernel->shape[k + 1];
    }
    kernel->fallback = Py_NewRef(fallback);
    kernel->defaults = Py_NewRef(defaults);
    kernel->owner = Py_NewRef(owner);
    kernel->name = Py_NewRef(name);
    kernel->doc = Py_NewRef(doc);
    if (PyErr_Occurred()) {
        Py_DECREF(kernel);
        return NULL;
    }
    return (PyObject *)kernel;
}

static int kernel_traverse(PyObject *self, visitproc visit, void *arg)
{
    Kernel *kernel = (Kernel *)self;
    Py_VISIT(kernel->fallback);
    Py_VISIT(kernel->defaults);
    Py_VISIT(kernel->owner);
    return 0;
}

static int kernel_clear(PyObject *self)
{
    Kernel *kernel = (Kernel *)self;
    Py_CLEAR(kernel->fallback);
    Py_CLEAR(kernel->defaults);
    Py_CLEAR(kernel->owner);
    return 0;
}

static void kernel_dealloc(PyObject *self)
{
    Kernel *kernel = (Kernel *)self;
    PyObject_GC_UnTrack(self);
    kernel_clear(self);
    Py_XDECREF(kernel->name);
    Py_XDECREF(kernel->doc);
    for (int k = 0; k < KEPT; k++)
        Py_XDECREF(kernel->kept[k]);
    Py_TYPE(self)->tp_free(self);
}

/* Pickled and copied as what it stands for: a method of an object. */
static PyObject *reduce(PyObject *self, PyObject *unused)
{
    (void)unused;
    return PyObject_CallMethod(((Kernel *)self)->fallback, "__reduce__", NULL);
}

static PyMethodDef kernel_methods[] = {
    {"__reduce__", reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef kernel_members[] = {
    {"__name__", T_OBJECT_EX, offsetof(Kernel, name), READONLY, NULL},
    {"__doc__", T_OBJECT_EX, offsetof(Kernel, doc), READONLY, NULL},
    {"__wrapped__", T_OBJECT_EX, offsetof(Kernel, fallback), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyTypeObject kernel_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "manip_dynamics.Kernel",
    .tp_basicsize = sizeof(Kernel),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_vectorcall_offset = offsetof(Kernel, vectorcall),
    .tp_call = PyVectorcall_Call,
    .tp_new = kernel_new,
    .tp_dealloc = kernel_dealloc,
    .tp_traverse = kernel_traverse,
    .tp_clear = kernel_clear,
    .tp_methods = kernel_methods,
    .tp_members = kernel_members,
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, .m_name = "manip_dynamics_call", .m_size = -1,
};

PyMODINIT_FUNC PyInit_manip_dynamics_call(void)
{
    import_array();
    out_name = PyUnicode_InternFromString("out");
    PyObject *self = PyModule_Create(&module);
    if (out_name == NULL || self == NULL || PyModule_AddType(self, &kernel_type) < 0) {
        Py_XDECREF(self);
        return NULL;
    }
    return self;
}
