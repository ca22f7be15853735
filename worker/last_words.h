// What a learner's code ends of, where C++ knows: an exception that nobody catches, a thread that nobody
// joins.
#pragma once

#include "worker/emitter.h"

namespace ridge::worker {

/// From now on this process says so in a `fatal` line before it ends; otherwise it is "crashed (SIGABRT)".
void tell_last_words(Emitter* emitter);

}  // namespace ridge::worker
