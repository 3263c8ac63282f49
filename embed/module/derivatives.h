// What dynacc's gradients (embed/python/dynacc/_gradients.py) are made of: two Python types.
//
// _dynacc.TracedCall(function, args, kwargs, dynamic): a call, traced to one graph without a run.
// If `dynamic`, sizes and numbers of the arguments are inputs of the graph.
//   program      its graph, a GraphProgram
//   inputs       a list of (path, object): where each input of the graph was found, and what it was
//   outputs      a list of (dtype text, is a scalar object), one for each of the graph's outputs
//   returns_numbers          whether the call returns numbers that are no constants of the trace
//   result(items)            if not: what the call returns, with items[i] in the place of output i
//   find(function, args, kwargs)   (arrays, numbers) for `program.run` in another call, with None
//                for arrays that the trace did not read; None if the trace would be another one
//   forget()     drops the objects of `inputs`, the example's arrays
//   decisions    the bools that the branches which it followed went by
//   deciding     a new GraphProgram of the same inputs that computes these and nothing else; it
//                writes into no input
//   draw         where it first draws random numbers, as "prog.py:12"; "": nowhere. Each run draws
//   Errors: RuntimeError naming file, line and reason where the function is no graph; TypeError for
//   what is no Python function; what binding the arguments raises.
//
// _dynacc.GraphProgram: a graph that runs on arrays.
//   text, inputs, outputs    the graph's text, and the numbers of its inputs and outputs
//   derive(mode, inputs, outputs, unit, with_values)   another one, by codegen/autodiff: `mode` is
//                "joint" or "tangent"; the rest is DerivativeOptions'
//   split(inputs, outputs, budget, numbers, inputs_stay)   (forward, backward, text, bytes, given)
//                of the joint graph, by codegen/autodiff/partitioner.h: two of these, what is saved
//                and why, its bytes, and for each value saved the number of the input that it is,
//                or -1 if the forward gives it. Inputs are given by number only if they stay and
//                none is written into; `numbers` as of `run`, of an example, or None. None for a
//                graph with sizes that only the run tells
//   whole_bytes(numbers)     the bytes of what its products, reductions and other whole ops give
//   batch(flags, size)       (another one, by codegen/batching; which of its outputs have the
//                axis): the inputs for which flags[i] is true have one more axis in front, of that
//                size
//   every_value()            (another one, [(text, file, line, operands, input, output)]): the same
//                graph without targets, with all its floating-point values as further outputs; and
//                for each node what it is, by number those that it reads, and which input or output
//                it is, or -1
//   has_checkpoints          whether it has a region that is to be computed again
//   run(arrays, numbers, keeps_draws=True)     (outputs, flags): a list of arrays, and the
//                floating-point errors that NumPy would report. With errors nothing is written into
//                an input, outputs is None if something would be, and random generators are what
//                they were before, as they are without keeps_draws
//   It is compiled at the first run (by library loops) and again, by DYNACC_TARGET, when it is run
//   for the third time. Errors: ValueError for arrays that do not fit and for what cannot be
//   derived; NotImplementedError where a gradient is not known; RuntimeError where a run ends
//   early: an error of NumPy's, or a data-dependent size.
#pragma once

#include <Python.h>

#include "frontend/cpython/ref.h"

namespace dynacc {

// Adds the types to the module. False with an exception set.
bool AddDerivativeTypes(PyObject* module);

}  // namespace dynacc
