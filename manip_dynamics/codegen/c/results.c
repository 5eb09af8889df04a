/* Results of kernels as Python objects: arrays, or named tuples of views of one array. */

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

/* The named tuple of an array's parts; steals the reference to the array. */
static PyObject *in_parts(const Kernel *kernel, PyArrayObject *array)
{
    const Py_ssize_t parts = kernel->count_of_parts;
    const int axes = PyArray_NDIM(array);
    npy_intp shape[MOST_AXES];
    memcpy(shape, PyArray_DIMS(array), (size_t)axes * sizeof *shape);
    shape[axes - 1] /= parts;
    PyObject *tuple = kernel->parts->tp_alloc(kernel->parts, parts);
    for (Py_ssize_t k = 0; tuple != NULL && k < parts; k++) {
        Py_INCREF(PyArray_DESCR(array));
        PyObject *view = PyArray_NewFromDescr(
            &PyArray_Type, PyArray_DESCR(array), axes, shape, PyArray_STRIDES(array),
            (double *)PyArray_DATA(array) + k * shape[axes - 1], NPY_ARRAY_WRITEABLE, NULL);
        if (view == NULL || PyArray_SetBaseObject((PyArrayObject *)view, Py_NewRef(array)) < 0) {
            Py_XDECREF(view);
            Py_CLEAR(tuple);
            break;
        }
        PyTuple_SET_ITEM(tuple, k, view);
    }
    Py_DECREF(array);
    return tuple;
}

#ifndef Py_GIL_DISABLED
static PyArrayObject *array_of(const Kernel *kernel, PyObject *result)
{
    if (kernel->parts == NULL)
        return (PyArrayObject *)result;
    return (PyArrayObject *)PyArray_BASE((PyArrayObject *)PyTuple_GET_ITEM(result, 0));
}

/* Whether nothing else refers to an earlier result, or to a part of it, any longer. */
static int is_free(const Kernel *kernel, PyObject *result)
{
    if (result == NULL || Py_REFCNT(result) != 1)
        return 0;
    for (Py_ssize_t k = 0; k < kernel->count_of_parts; k++) {
        PyArrayObject *view = (PyArrayObject *)PyTuple_GET_ITEM(result, k);
        if (Py_REFCNT(view) != 1 || PyArray_TYPE(view) != NPY_DOUBLE || !PyArray_ISNOTSWAPPED(view)
            || PyArray_NDIM(view) != kernel->axes || !PyArray_ISWRITEABLE(view)
            || PyArray_DIM(view, 0) != kernel->shape[1]
            || PyArray_DIM(view, kernel->axes - 1)
                   != kernel->shape[kernel->axes] / kernel->count_of_parts
            || ((const PyArrayObject_fields *)view)->weakreflist != NULL)
            return 0;
    }
    PyArrayObject *array = array_of(kernel, result);
    return is_result_of_ours(kernel, array)
           && Py_REFCNT(array) == (kernel->parts == NULL ? 1 : kernel->count_of_parts);
}
#endif

/* The object to return for one state, and where to write its numbers. Reusing an earlier result
   that nothing else refers to saves half the time of a call. */
static PyObject *result_of_one(Kernel *kernel, double **data)
{
#ifndef Py_GIL_DISABLED
    for (int k = 0; k < KEPT; k++)
        if (is_free(kernel, kernel->kept[k])) {
            *data = (double *)PyArray_DATA(array_of(kernel, kernel->kept[k]));
            return Py_NewRef(kernel->kept[k]);
        }
#endif
    PyObject *result = PyArray_SimpleNew(kernel->axes, kernel->shape + 1, NPY_DOUBLE);
    if (result == NULL)
        return NULL;
    *data = (double *)PyArray_DATA((PyArrayObject *)result);
    if (kernel->parts != NULL)
        result = in_parts(kernel, (PyArrayObject *)result);
#ifndef Py_GIL_DISABLED
    if (result != NULL) {
        Py_XSETREF(kernel->kept[kernel->next], Py_NewRef(result));
        kernel->next = (kernel->next + 1) % KEPT;
    }
#endif
    return result;
}

static PyObject *returned(const Kernel *kernel, PyObject *out)
{
    return kernel->parts == NULL ? out : in_parts(kernel, (PyArrayObject *)out);
}
