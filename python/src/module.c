/* module.c: the module sonde._sonde, put together. */
#include "binding.h"

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "sonde._sonde",
    .m_doc = "The C library of Sonde, function by function. Use the module sonde instead.",
    .m_size = -1,
};

/* TERMS: the names of the terms of G, in order. */
static bool terms_ready(PyObject *module) {
#define LETTER(code, name) "s"
#define AND_NAME(code, name) , name
    PyObject *terms = Py_BuildValue("(" SONDE_TERM_LIST(LETTER) ")" SONDE_TERM_LIST(AND_NAME));
#undef LETTER
#undef AND_NAME
    const bool good = terms != NULL && PyModule_AddObjectRef(module, "TERMS", terms) == 0;
    Py_XDECREF(terms);
    return good;
}

PyMODINIT_FUNC PyInit__sonde(void);
PyMODINIT_FUNC PyInit__sonde(void) {
    PyMethodDef *const methods[] = {base_methods,   graph_methods, model_methods,
                                    policy_methods, embed_methods, agent_methods,
                                    world_methods,  study_methods, settings_methods,
                                    spm_methods,    fit_methods,   vectors_methods};
    PyObject *module = PyModule_Create(&definition);
    bool good = module != NULL && handles_ready(module) && errors_ready(module) &&
                terms_ready(module) && work_ready();
    for (size_t i = 0; good && i < sizeof methods / sizeof *methods; i++) {
        good = PyModule_AddFunctions(module, methods[i]) == 0;
    }
    if (!good) {
        Py_CLEAR(module);
    }
    return module;
}
