// The threads that stay (kernels/runtime/cpu/web/team.cpp): starting others would be a part of what a probe measures.
#include "kernels/probe/probe.h"
#include "kernels/runtime/cpu/team.h"

namespace ridge {

void probe_run_threads(int threads, void (*part)(void* context, int index), void* context) {
  team_run(threads, part, context);
}

}  // namespace ridge
