// ridge: arch=90
//
// Idea      A node may be launched while the one before it still runs, and waits on the GPU for its results:
//           its start is over when they come.
// Changed   The graph's edges: programmatic dependent launch.
// Limits    The dependence itself: what one kernel writes, the next reads, through the L2.
// Look at   us a node beside the plain graph's.
// Source    CUDA C++ Programming Guide, "Programmatic Dependent Launch and Synchronization"; in graphs since
//           CUDA 12.3.
#include "kernels/chain/rungs/graph_plan.h"

RIDGE_KERNEL(chain, cuda, overlapped, .may_sync = true, .prepare = ridge::prepare_chain_graph,
             .launch = ridge::launch_chain_graph<true>);
