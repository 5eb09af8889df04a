/* Calling a kernel from Python: see kernel.h. Concatenated with kernel.h and results.c. */

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

/* `x` holds all pointers, including the bound ones. */
static void run_one(const Kernel *kernel, const double *const *x, double *out)
{
    void *f = kernel->one;
    switch (kernel->pointers) {
    case 1: ((one1)f)(x[0], out); break;
    case 2: ((one2)f)(x[0], x[1], out); break;
    case 3: ((one3)f)(x[0], x[1], x[2], out); break;
    case 4: ((one4)f)(x[0], x[1], x[2], x[3], out); break;
    case 5: ((one5)f)(x[0], x[1], x[2], x[3], x[4], out); break;
    default: ((one6)f)(x[0], x[1], x[2], x[3], x[4], x[5], out);
    }
}

static void run_block(const Kernel *kernel, const double *const *x, double *out, size_t rows)
{
    void *f = kernel->many;
    switch (kernel->pointers) {
    case 1: ((many1)f)(rows, x[0], out); break;
    case 2: ((many2)f)(rows, x[0], x[1], out); break;
    case 3: ((many3)f)(rows, x[0], x[1], x[2], out); break;
    case 4: ((many4)f)(rows, x[0], x[1], x[2], x[3], out); break;
    case 5: ((many5)f)(rows, x[0], x[1], x[2], x[3], x[4], out); break;
    default: ((many6)f)(rows, x[0], x[1], x[2], x[3], x[4], x[5], out);
    }
}

/* Prefetch the memory of a result before it is written. */
static void expect(const double *result, npy_intp length)
{
#ifdef __GNUC__
    for (npy_intp i = 0; i < length; i += LINE)
        __builtin_prefetch(result + i, 1);
#endif
}

/* Returns 0 if it finds a non-finite number. Results too large for the cache would make the kernel
   wait for memory, so their memory is prefetched while it computes earlier rows. */
static int run_many(const Kernel *kernel, const double *const *in, double *out, npy_intp count)
{
    const int large = kernel->size >= 2 * LINE
                      && count * kernel->size * (npy_intp)sizeof(double) > MANY_BYTES;
    const npy_intp block = large ? SMALL_BLOCK : BLOCK;
    for (npy_intp start = 0; start < count; start += block) {
        const npy_intp rows = count - start < block ? count - start : block;
        const double *x[MOST_INPUTS];
        memcpy(x, kernel->trailing, sizeof x);
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

/* A batch may overwrite an input row by row, but not rows that it has yet to read. */
static int may_overwrite(const Kernel *kernel, const double *const *in, const double *out, npy_intp count)
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

/* Whether a keyword has its default value: the same object, or an equal one of the same type. */
static int is_default(const Kernel *kernel, PyObject *name, PyObject *value)
{
    PyObject *usual = PyDict_GetItem(kernel->defaults, name);
    if (usual == NULL || Py_TYPE(usual) != Py_TYPE(value))
        return 0;
    const int equal = PyObject_RichCompareBool(usual, value, Py_EQ);
    if (equal < 0)
        PyErr_Clear(); /* the fallback reports what is wrong */
    return equal == 1;
}

static PyObject *kernel_call(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    Kernel *kernel = (Kernel *)self;
    PyObject *out = NULL;
    const double *in[MOST_INPUTS];

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
    memcpy(in, kernel->trailing, sizeof in);
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
    }

    if (axes == 1) {
        for (int k = 0; k < kernel->inputs; k++)
            if (!finite_state(in[k], kernel->length[k]))
                return call_python(kernel, args, nargsf, names);
        if (out != NULL) {
            run_one(kernel, in, result);
            return returned(kernel, Py_NewRef(out));
        }
        out = result_of_one(kernel, &result);
        if (out != NULL)
            run_one(kernel, in, result);
        return out;
    }

    if (out != NULL) {
        Py_INCREF(out);
    } else {
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
        return returned(kernel, out);
    Py_DECREF(out);
    return call_python(kernel, args, nargsf, names);
}

static PyObject *kernel_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    unsigned long long one, many;
    PyObject *fallback, *defaults, *owner, *name, *doc, *lengths, *shape, *bound, *parts;
    if (keywords != NULL && PyDict_GET_SIZE(keywords) != 0) {
        PyErr_SetString(PyExc_TypeError, "Kernel takes no keyword arguments");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "KKO!O!OO!OOOO!O", &one, &many, &PyTuple_Type, &lengths,
                          &PyTuple_Type, &shape, &fallback, &PyDict_Type, &defaults, &owner,
                          &name, &doc, &PyTuple_Type, &bound, &parts))
        return NULL;
    const Py_ssize_t inputs = PyTuple_GET_SIZE(lengths), axes = PyTuple_GET_SIZE(shape);
    const Py_ssize_t pointers = inputs + PyTuple_GET_SIZE(bound);
    if (inputs < 1 || pointers > MOST_INPUTS || axes < 1 || axes >= MOST_AXES) {
        PyErr_SetString(PyExc_ValueError, "Kernel takes 1 to 6 inputs and 1 or 2 result axes");
        return NULL;
    }
    if (parts != Py_None && !(PyType_Check(parts)
                              && PyType_IsSubtype((PyTypeObject *)parts, &PyTuple_Type))) {
        PyErr_SetString(PyExc_TypeError, "the parts of a result are a named tuple");
        return NULL;
    }
    for (Py_ssize_t k = 0; k < pointers - inputs; k++)
        if (plain_data(PyTuple_GET_ITEM(bound, k), 1) == NULL) {
            PyErr_SetString(PyExc_ValueError, "bound inputs are vectors of float64");
            return NULL;
        }
    Kernel *kernel = (Kernel *)type->tp_alloc(type, 0);
    if (kernel == NULL)
        return NULL;
    kernel->vectorcall = kernel_call;
    kernel->one = (void *)(uintptr_t)one;
    kernel->many = (void *)(uintptr_t)many;
    kernel->inputs = (int)inputs;
    kernel->pointers = (int)pointers;
    for (Py_ssize_t k = inputs; k < pointers; k++)
        kernel->trailing[k] = plain_data(PyTuple_GET_ITEM(bound, k - inputs), 1);
    if (parts != Py_None) {
        kernel->parts = (PyTypeObject *)Py_NewRef(parts);
        kernel->count_of_parts = MOST_PARTS;
    }
    kernel->bound = Py_NewRef(bound);
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
    Py_VISIT(kernel->parts);
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
    Py_XDECREF(kernel->bound);
    Py_XDECREF(kernel->parts);
    for (int k = 0; k < KEPT; k++)
        Py_XDECREF(kernel->kept[k]);
    Py_TYPE(self)->tp_free(self);
}

/* Pickled and copied as the bound method that it replaces. */
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
