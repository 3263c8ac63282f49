// Where Function::CallAsync runs: the executor of the Runtime that there is.
#pragma once

#include <memory>

#include "embed/include/dynacc/executor.h"

namespace dynacc {

// From here on calls go to `executor`; null: to a pool that is made when the first one comes.
void StartAsyncCalls(std::shared_ptr<Executor> executor);
// Lets go of the executor. Of a pool of our own, all that was given to it has run when this
// returns. To be called without the GIL, when no call may begin any more.
void EndAsyncCalls();

}  // namespace dynacc
